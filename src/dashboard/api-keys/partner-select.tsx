import type { ApiError } from '../../engine/errors.ts'
import { Select } from '../parts/select.tsx'

export interface Partner {
  id: string
  name: string
}

interface PartnerSelectProps {
  value: string
  partners: readonly Partner[]
  /** The partner of the session's key, which grants to keys of this partner only. */
  own: Partner | null
  /** The session's key may not read partners, so there are none to choose from. */
  isBlind: boolean
  error: ApiError | null
}

const NONE = ['', 'None: a pass-through key, for documents in our own schema'] as const

export function PartnerSelect({ value, partners, own, isBlind, error }: PartnerSelectProps) {
  const options = (own ? [own] : partners).map(({ id, name }) => [id, name] as const)
  const isListed = options.some(([id]) => id === value) || value === ''
  const unlisted = isListed ? [] : [[value, `Unchanged: ${value}`] as const]
  return (
    <Select
      label="Partner"
      name="partner_id"
      value={value}
      options={[...(own ? [] : [NONE]), ...unlisted, ...options]}
      error={error}
      help={helpFor(own, isBlind)}
    />
  )
}

function helpFor(own: Partner | null, isBlind: boolean): string {
  if (own) return 'You cannot choose another partner: your own key is linked to this one.'
  return isBlind
    ? 'You cannot choose a partner: your own key lacks settings.partners.read.'
    : "The key uses its partner's mappings and identifier fields."
}
