import { count } from './numbers.ts'

/** Numbers with what they count. Those of 0 are left out, but for the first. */
export function Tally({ totals }: { totals: Record<string, number> }) {
  const entries = Object.entries(totals)
  return (
    <dl class="totals">
      {entries.map(([name, value], at) =>
        value > 0 || at === 0 ? (
          <div>
            <dt>{name}</dt>
            <dd>{count(value)}</dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}
