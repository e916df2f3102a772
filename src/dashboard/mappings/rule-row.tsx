import { CODES, CONVERSIONS, type Direction, KINDS, type Row } from './draft.ts'
import { LinesField } from './inbound-fields.tsx'
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
        <select name={`${direction}.as`} aria-label="Conversion" class="step">
          <Choices chosen={row.as} known={['', ...CONVERSIONS]} texts={CONVERSION_NAMES} />
        </select>
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

interface ChoicesProps<Name extends string> {
  chosen: Name
  known: readonly Name[]
  texts: Record<Name, string>
}

function Choices<Name extends string>({ chosen, known, texts }: ChoicesProps<Name>) {
  return known.map((name) => (
    <option value={name} selected={name === chosen}>
      {texts[name]}
    </option>
  ))
}

function KindSelect({ direction, kind }: { direction: Direction; kind: Row['kind'] }) {
  const isRequiring = (known: Row['kind']) => known === 'required' || known === 'join_required'
  const kinds = KINDS.filter((known) => direction === 'inbound' || !isRequiring(known))
  return (
    <select name={`${direction}.kind`} aria-label="Kind">
      <Choices chosen={kind} known={kinds} texts={KIND_NAMES} />
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
const TEXTS = [
  { cell: 'format', label: 'Format of the time', placeholder: 'dd.MM.yyyy HH:mm' },
  { cell: 'zone', label: 'Zone of times without an offset', placeholder: 'Europe/Berlin' },
  { cell: 'default', label: 'Without a value, as JSON', placeholder: 'nothing is written' },
] as const
const MORE = 'No value, part of the text, values, times, amount, default and item code'

/** What few rules have. Open if the rule has any of it. */
function RuleMore({ direction, row }: MoreProps) {
  const cells = [...LINES, ...TEXTS].map(({ cell }) => row[cell])
  const isOpen = [...cells, row.code].some((text) => text !== '')
  return (
    <details class="step more" open={isOpen}>
      <summary aria-label={MORE} title={MORE}>
        <span aria-hidden="true">⋯</span>
      </summary>
      {LINES.map(({ cell, label, placeholder, rowsMax }) => (
        <LinesField
          label={label}
          name={`${direction}.${cell}`}
          rows={Math.min(rowsMax, Math.max(2, row[cell].split('\n').length))}
          placeholder={placeholder}
          text={row[cell]}
        />
      ))}
      {TEXTS.map(({ cell, label, placeholder }) => (
        <label>
          {label}
          <input
            type="text"
            autocomplete="off"
            spellcheck={false}
            name={`${direction}.${cell}`}
            value={row[cell]}
            placeholder={placeholder}
          />
        </label>
      ))}
      <CodeSelect direction={direction} code={row.code} />
    </details>
  )
}

/** Outbound, records have our own codes. The cell is there all the same: the cells of a row belong together. */
function CodeSelect({ direction, code }: { direction: Direction; code: Row['code'] }) {
  const known = direction === 'inbound' ? CODES : []
  return (
    <label>
      The partner’s own number
      <select name={`${direction}.code`}>
        <Choices chosen={code} known={['', ...known]} texts={CODE_NAMES} />
      </select>
    </label>
  )
}
