import type { ApiError } from '../../engine/errors.ts'
import type { Choices } from '../form/choices.ts'
import type { PageFilters } from '../paths.ts'
import { withChosen } from './option.ts'
import { Select } from './select.tsx'

interface SubjectSelectsProps {
  chosen: PageFilters
  error: ApiError | null
  choices: Choices
}

/** Whose requests to show: of which API key, and of which partner. */
export function SubjectSelects({ chosen, error, choices }: SubjectSelectsProps) {
  return (
    <>
      <PartnerFilter chosen={chosen} error={error} partners={choices.partners} />
      <KeySelect label="API key" any="Any key" chosen={chosen} error={error} choices={choices} />
    </>
  )
}

interface PartnerFilterProps {
  chosen: PageFilters
  error: ApiError | null
  partners: Choices['partners']
}

export function PartnerFilter({ chosen: { partner_id }, error, partners }: PartnerFilterProps) {
  const options = partners.map(({ id, name }) => [id, name] as const)
  return (
    <Select
      label="Partner"
      name="partner_id"
      error={error}
      value={partner_id ?? ''}
      options={withChosen([['', 'Any partner'], ...options], partner_id)}
    />
  )
}

interface KeySelectProps extends SubjectSelectsProps {
  label: string
  /** What the choice of no key says. */
  any: string
}

export function KeySelect({ label, any, chosen: { api_key_id }, error, choices }: KeySelectProps) {
  const keys = choices.keys.map(({ id, name, hint }) => [id, `${name} (${hint})`] as const)
  return (
    <Select
      label={label}
      name="api_key_id"
      error={error}
      value={api_key_id ?? ''}
      options={withChosen([['', any], ...keys], api_key_id)}
    />
  )
}
