import { CODES, CONVERSIONS, type Direction, KINDS, type Row } from './draft.ts'
import { CODE_NAMES, CONVERSION_NAMES, KIND_NAMES, WORDS } from './words.ts'

interface MoreProps {
  direction: Direction
  row: Row
}

interface RowProps {
  direction: Direction
  row: Row
  index: number
  messages: string[]
}

/** The kind decides which of the cells count. The style hides the others. */
export function RuleRow({ direction, row, index, messages }: RowProps) {
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
      <td data-label="Kind" class="kind">
        <KindSelect direction={direction} kind={row.kind} />
      </td>
      <td data-label={words.source} class="source">
        <Cell
          name={`${direction}.source`}
          label={`${words.source}, or fixed value`}
          value={row.source}
          state={state}
        />
        <ConversionSelect direction={direction} as={row.as} />
        <RuleWith direction={direction} row={row} />
        <RuleMore direction={direction} row={row} />
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
  const isRequiring = (known: Row['kind']) => known === 'required' || known === 'join_required'
  const kinds = KINDS.filter((known) => direction === 'inbound' || !isRequiring(known))
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

function ConversionSelect({ direction, as }: { direction: Direction; as: Row['as'] }) {
  return (
    <select name={`${direction}.as`} aria-label="Conversion" class="step">
      {(['', ...CONVERSIONS] as const).map((known) => (
        <option value={known} selected={known === as}>
          {CONVERSION_NAMES[known]}
        </option>
      ))}
    </select>
  )
}

/** What stands between the texts of a join. */
function RuleWith({ direction, row }: MoreProps) {
  return (
    <label class="step joined">
      Between the texts
      <input
        type="text"
        name={`${direction}.with`}
        value={row.with}
        placeholder={'a space; or ", "'}
        autocomplete="off"
        spellcheck={false}
      />
    </label>
  )
}

const STEPS = 'trim\nafter "/"'
const VALUES = 'processing = pending\n* = draft'
const AMOUNT = 'less lines[].canceled\ntimes 12'

/** The cells of several lines. A field grows with its text, up to `rowsMax`. */
const LINES = [
  { cell: 'none', label: 'No value, one a line', placeholder: 'N/A\nfalse', rowsMax: 2 },
  { cell: 'text', label: 'Part of the text, a step a line', placeholder: STEPS, rowsMax: 8 },
  { cell: 'values', label: 'Values, one a line', placeholder: VALUES, rowsMax: 8 },
  { cell: 'amount', label: 'Amount, one a line', placeholder: AMOUNT, rowsMax: 2 },
] as const
const MORE = 'No value, part of the text, values, times, amount, default and item code'

/** What few rules have. Open if the rule has any of it. */
function RuleMore({ direction, row }: MoreProps) {
  const { none, text, values, format, zone, amount, default: fallback, code } = row
  const isOpen = [none, text, values, format, zone, amount, fallback, code].some(
    (cell) => cell !== '',
  )
  return (
    <details class="step more" open={isOpen}>
      <summary aria-label={MORE} title={MORE}>
        <span aria-hidden="true">⋯</span>
      </summary>
      {LINES.map(({ cell, label, placeholder, rowsMax }) => (
        <label>
          {label}
          <textarea
            name={`${direction}.${cell}`}
            rows={Math.min(rowsMax, Math.max(2, row[cell].split('\n').length))}
            placeholder={placeholder}
            autocapitalize="off"
            spellcheck={false}
          >
            {`\n${row[cell]}`}
          </textarea>
        </label>
      ))}
      <TimeCells direction={direction} row={row} />
      <TextCell
        label="Without a value, as JSON"
        name={`${direction}.default`}
        value={row.default}
        placeholder="nothing is written"
      />
      <CodeSelect direction={direction} code={row.code} />
    </details>
  )
}

function TimeCells({ direction, row }: MoreProps) {
  return (
    <>
      <TextCell
        label="Format of the time"
        name={`${direction}.format`}
        value={row.format}
        placeholder="dd.MM.yyyy HH:mm"
      />
      <TextCell
        label="Zone of times without an offset"
        name={`${direction}.zone`}
        value={row.zone}
        placeholder="Europe/Berlin"
      />
    </>
  )
}

interface TextCellProps {
  label: string
  name: string
  value: string
  placeholder: string
}

function TextCell({ label, ...input }: TextCellProps) {
  return (
    <label>
      {label}
      <input type="text" autocomplete="off" spellcheck={false} {...input} />
    </label>
  )
}

/** Outbound, records have our own codes. The cell is there all the same: the cells of a row belong together. */
function CodeSelect({ direction, code }: { direction: Direction; code: Row['code'] }) {
  const known = direction === 'inbound' ? CODES : []
  return (
    <label>
      The partner’s own number
      <select name={`${direction}.code`}>
        {(['', ...known] as const).map((one) => (
          <option value={one} selected={one === code}>
            {CODE_NAMES[one]}
          </option>
        ))}
      </select>
    </label>
  )
}
