import { CONVERSIONS, type Direction, KINDS, type Row } from './draft.ts'
import { CONVERSION_NAMES, KIND_NAMES, WORDS } from './words.ts'

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

/** What few rules have. Open if the rule has any of it. */
function RuleMore({ direction, row }: MoreProps) {
  const isOpen = [row.none, row.text, row.values, row.amount, row.default].some(
    (cell) => cell !== '',
  )
  return (
    <details class="step more" open={isOpen}>
      <summary
        aria-label="No value, part of the text, values, amount and default"
        title="No value, part of the text, values, amount and default"
      >
        <span aria-hidden="true">⋯</span>
      </summary>
      <label>
        No value, one a line
        <textarea
          name={`${direction}.none`}
          rows={2}
          placeholder={'N/A\nfalse'}
          autocapitalize="off"
          spellcheck={false}
        >
          {`\n${row.none}`}
        </textarea>
      </label>
      <label>
        Part of the text, a step a line
        <textarea
          name={`${direction}.text`}
          rows={Math.min(8, Math.max(2, row.text.split('\n').length))}
          placeholder={'trim\nafter "/"'}
          autocapitalize="off"
          spellcheck={false}
        >
          {`\n${row.text}`}
        </textarea>
      </label>
      <label>
        Values, one a line
        <textarea
          name={`${direction}.values`}
          rows={Math.min(8, Math.max(2, row.values.split('\n').length))}
          placeholder={'processing = pending\n* = draft'}
          autocapitalize="off"
          spellcheck={false}
        >
          {`\n${row.values}`}
        </textarea>
      </label>
      <label>
        Amount, one a line
        <textarea
          name={`${direction}.amount`}
          rows={2}
          placeholder={'less lines[].canceled\ntimes 12'}
          autocapitalize="off"
          spellcheck={false}
        >
          {`\n${row.amount}`}
        </textarea>
      </label>
      <label>
        Without a value, as JSON
        <input
          type="text"
          name={`${direction}.default`}
          value={row.default}
          placeholder="nothing is written"
          autocomplete="off"
          spellcheck={false}
        />
      </label>
    </details>
  )
}
