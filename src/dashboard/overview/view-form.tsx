import type { ApiError } from '../../engine/errors.ts'
import type { Choices } from '../form/choices.ts'
import { ErrorElsewhere } from '../parts/error-elsewhere.tsx'
import { SubjectSelects } from '../parts/subject-selects.tsx'
import type { Filters } from '../paths.ts'
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
  return (
    <form method="get" class="view">
      <ErrorElsewhere error={error} fields={FIELDS} />
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
