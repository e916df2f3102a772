import type { ApiError } from '../../engine/errors.ts'
import { Select } from '../parts/select.tsx'

export interface PartnerOption {
  id: string
  name: string
}

interface PartnerSelectProps {
  value: string
  partners: readonly PartnerOption[]
  /** The partner of the session's key, which grants to keys of this partner only. */
  own: PartnerOption | null
  /** The session's key may not read partners, so there are none to choose from. */
  isBlind: boolean
  /** What the choice of no partner says. */
  none: string
  help: string
  error: ApiError | null
}

export function PartnerSelect(props: PartnerSelectProps) {
  const { value, partners, own, isBlind, none, help, error } = props
  const options = (own ? [own] : partners).map(({ id, name }) => [id, name] as const)
  const isListed = options.some(([id]) => id === value) || value === ''
  const unlisted = isListed ? [] : [[value, `Unchanged: ${value}`] as const]
  return (
    <Select
      label="Partner"
      name="partner_id"
      value={value}
      options={[...(own ? [] : [['', none] as const]), ...unlisted, ...options]}
      error={error}
      help={limitOf(own, isBlind) ?? help}
    />
  )
}

/** Why one cannot choose. */
function limitOf(own: PartnerOption | null, isBlind: boolean): string | null {
  if (own) return 'You cannot choose another partner: your own key is linked to this one.'
  return isBlind ? 'You cannot choose a partner: your own key lacks settings.partners.read.' : null
}
