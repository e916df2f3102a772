import type { ApiError } from '../../engine/errors.ts'
import { Select } from '../parts/select.tsx'
import { BLANK, type Direction, type DraftRules } from './draft.ts'
import { InboundFields } from './inbound-fields.tsx'
import { rowMessages } from './mapping.ts'
import { RuleRow } from './rule-row.tsx'
import { WORDS } from './words.ts'

// Rows for new rules, for browsers without JavaScript.
const BLANK_ROWS = 3

interface RulesProps {
  direction: Direction
  rules: DraftRules
  error: ApiError | null
}

/** The rules of one direction as form fields. The script adds and removes rows. */
export function RulesFields({ direction, rules, error }: RulesProps) {
  const { unmapped, rows } = rules
  const { subject, modes, target, source } = WORDS[direction]
  const blanks = Array.from({ length: BLANK_ROWS }, () => BLANK)
  return (
    <div data-rules={direction}>
      <Select
        label={subject}
        name={`${direction}.unmapped`}
        value={unmapped}
        options={modes}
        error={error}
      />
      {direction === 'inbound' && <InboundFields rules={rules} error={error} />}
      <FieldsError direction={direction} error={error} />
      <table class="rules">
        <thead>
          <tr>
            <th scope="col">{target}</th>
            <th scope="col">Kind</th>
            <th scope="col">{source}, or fixed value</th>
            <th scope="col">
              <span class="for-reader">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {[...rows, ...blanks].map((row, index) => (
            <RuleRow
              direction={direction}
              row={row}
              index={index}
              messages={index < rows.length ? rowMessages(error, direction, index, row) : []}
            />
          ))}
        </tbody>
      </table>
      <button type="button" class="outline add-rule" data-add hidden>
        Add rule
      </button>
      {direction === 'inbound' && <Offers />}
    </div>
  )
}

/** The script offers paths of the pasted document here. */
function Offers() {
  return (
    <>
      {' '}
      <button type="button" class="outline add-rule" data-fill hidden>
        Fill in what fits
      </button>
      <div class="other-offers" data-offers hidden>
        <p>The document may also have these. Choose one to add its rule:</p>
      </div>
    </>
  )
}

/** Errors about the rules as a whole, such as their size. */
function FieldsError({ direction, error }: Pick<RulesProps, 'direction' | 'error'>) {
  const messages = error?.details.fields?.[`${direction}.fields`]
  return messages ? <p class="form-error">{messages.join(' ')}</p> : null
}

/** Whether the error has a message about the direction. */
export function isRefused(error: ApiError | null, direction: Direction): boolean {
  return Object.keys(error?.details.fields ?? {}).some((name) => name.startsWith(direction))
}
