import type { ApiError } from '../../errors.ts'
import { Select } from '../controls/select.tsx'

export interface Partner {
  id: string
  name: string
}

interface PartnerSelectProps {
  value: string
  partners: readonly Partner[]
  /** The session's key may not read partners, so there are none to choose from. */
  isBlind: boolean
  error: ApiError | null
}

export function PartnerSelect({ value, partners, isBlind, error }: PartnerSelectProps) {
  const options = partners.map(({ id, name }) => [id, name] as const)
  const isListed = options.some(([id]) => id === value) || value === ''
  const unlisted = isListed ? [] : [[value, `Unchanged: ${value}`] as const]
  return (
    <Select
      label="Partner"
      name="partner_id"
      value={value}
      options={[
        ['', 'None: a pass-through key, for documents in our own schema'],
        ...unlisted,
        ...options,
      ]}
      error={error}
      help={
        isBlind
          ? 'You cannot choose a partner: your own key lacks settings.partners.read.'
          : "The key uses its partner's mappings and identifier fields."
      }
    />
  )
}
