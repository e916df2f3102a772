import type { Direction, Row } from './draft.ts'

interface MoreProps {
  direction: Direction
  row: Row
}

/** What stands between the texts of a join. */
export function RuleWith({ direction, row }: MoreProps) {
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
export function RuleMore({ direction, row }: MoreProps) {
  const isOpen = row.values !== '' || row.default !== ''
  return (
    <details class="step more" open={isOpen}>
      <summary aria-label="Values and default" title="Values and default">
        <span aria-hidden="true">⋯</span>
      </summary>
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
