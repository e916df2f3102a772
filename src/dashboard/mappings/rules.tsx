import type { ApiError } from '../../errors.ts'
import { Select } from '../controls.tsx'
import { type Direction, type DraftRules, KINDS, type Row } from './draft.ts'
import { rowMessages } from './mapping.ts'

// How many rules can be added at a time where there is no script.
const BLANK_ROWS = 3
const BLANK: Row = { target: '', kind: 'path', source: '' }

/** What the two directions call things. */
export const WORDS = {
  inbound: {
    target: 'Our field',
    source: 'Their path',
    subject: 'Documents',
    modes: [
      ['', 'Not mapped: taken as they are sent'],
      ['keep', 'Mapped; fields that no rule reads are kept under their own names'],
      ['drop', 'Mapped; fields that no rule reads are dropped, with a warning'],
      ['reject', 'Mapped; a document with fields that no rule reads is refused'],
    ],
  },
  outbound: {
    target: 'Their field',
    source: 'Our path',
    subject: 'Records',
    modes: [
      ['', 'Not mapped: answered as we have them'],
      ['drop', 'Mapped; fields that no rule reads are left out'],
      ['keep', 'Mapped; fields that no rule reads are kept under our names'],
    ],
  },
} as const

export const KIND_NAMES = {
  path: 'from path',
  required: 'from path, required',
  value: 'fixed value (JSON)',
} as const

interface RulesProps {
  direction: Direction
  rules: DraftRules
  error: ApiError | null
}

/** The rules of one direction as fields of a form; the script adds rows and takes them away. */
export function RulesFields({ direction, rules: { unmapped, rows }, error }: RulesProps) {
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
    </div>
  )
}

/** What is wrong with the rules as a whole, such as their size. */
function FieldsError({ direction, error }: Pick<RulesProps, 'direction' | 'error'>) {
  const messages = error?.details.fields?.[`${direction}.fields`]
  return messages ? <p class="form-error">{messages.join(' ')}</p> : null
}

interface RowProps {
  direction: Direction
  row: Row
  index: number
  messages: string[]
}

function RuleRow({ direction, row, index, messages }: RowProps) {
  const words = WORDS[direction]
  const isWrong = messages.length > 0
  const errorId = `${direction}-rule-${index + 1}-error`
  const state = {
    'aria-invalid': isWrong ? 'true' : undefined,
    'aria-describedby': isWrong ? errorId : undefined,
  } as const
  return (
    <tr>
      <td data-label={words.target}>
        <Cell name={`${direction}.target`} label={words.target} value={row.target} state={state} />
      </td>
      <td data-label="Kind">
        <KindSelect direction={direction} kind={row.kind} />
      </td>
      <td data-label={words.source}>
        <Cell
          name={`${direction}.source`}
          label={`${words.source}, or fixed value`}
          value={row.source}
          state={state}
        />
        {isWrong && (
          <small class="field-error" id={errorId}>
            {messages.join(' ')}
          </small>
        )}
      </td>
      <td class="remove">
        <button type="button" class="outline secondary" data-remove aria-label="Remove rule" hidden>
          ×
        </button>
      </td>
    </tr>
  )
}

interface CellProps {
  name: string
  label: string
  value: string
  state: { 'aria-invalid': 'true' | undefined; 'aria-describedby': string | undefined }
}

function Cell({ name, label, value, state }: CellProps) {
  return (
    <input
      type="text"
      name={name}
      value={value}
      aria-label={label}
      list={`${name}s`}
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      {...state}
    />
  )
}

function KindSelect({ direction, kind }: { direction: Direction; kind: Row['kind'] }) {
  const kinds = KINDS.filter((known) => direction === 'inbound' || known !== 'required')
  return (
    <select name={`${direction}.kind`} aria-label="Kind">
      {kinds.map((known) => (
        <option value={known} selected={known === kind}>
          {KIND_NAMES[known]}
        </option>
      ))}
    </select>
  )
}

/** Whether the error has anything to say of the direction. */
export function isRefused(error: ApiError | null, direction: Direction): boolean {
  return Object.keys(error?.details.fields ?? {}).some((name) => name.startsWith(direction))
}
