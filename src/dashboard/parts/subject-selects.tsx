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
  const keys = choices.keys.map(({ id, name, hint }) => [id, `${name} (${hint})`] as const)
  const partners = choices.partners.map(({ id, name }) => [id, name] as const)
  const { partner_id, api_key_id } = chosen
  return (
    <>
      <Select
        label="Partner"
        name="partner_id"
        error={error}
        value={partner_id ?? ''}
        options={withChosen([['', 'Any partner'], ...partners], partner_id)}
      />
      <Select
        label="API key"
        name="api_key_id"
        error={error}
        value={api_key_id ?? ''}
        options={withChosen([['', 'Any key'], ...keys], api_key_id)}
      />
    </>
  )
}
