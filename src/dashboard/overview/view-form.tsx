import type { ApiError } from '../../errors.ts'
import { messagesOf } from '../controls/field.tsx'
import { SubjectSelects } from '../controls/subject-selects.tsx'
import type { Choices } from '../form/choices.ts'
import type { Filters } from '../form/chosen.ts'
import { KeptPreset } from '../ranges/kept-preset.tsx'
import { TimeInput } from '../ranges/time-input.tsx'
import { overviewPath } from './view.ts'

const FIELDS = ['from', 'to', 'partner_id', 'api_key_id']

interface ViewFormProps {
  chosen: Filters
  error: ApiError | null
  choices: Choices
}

/** An own range, and whose requests to show. Keeps the preset of the page if no range is entered. */
export function ViewForm({ chosen, error, choices }: ViewFormProps) {
  const time = (name: string) => ({ name, error, value: chosen[name] ?? '' })
  const isChosen = FIELDS.some((name) => chosen[name] !== undefined)
  const isElsewhere = error && FIELDS.every((name) => messagesOf(error, name).length === 0)
  return (
    <form method="get" class="view">
      {isElsewhere && (
        <p class="form-error" role="alert">
          {error.message}
        </p>
      )}
      <KeptPreset chosen={chosen} error={error} />
      <SubjectSelects chosen={chosen} error={error} choices={choices} />
      <TimeInput label="From (UTC)" {...time('from')} />
      <TimeInput label="To (UTC)" {...time('to')} />
      <div class="buttons">
        <button type="submit">Show</button>
        {isChosen && (
          <a class="button secondary outline" href={overviewPath({ range: chosen.range })}>
            Clear
          </a>
        )}
      </div>
    </form>
  )
}
