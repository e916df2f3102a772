import { capitalized } from '../../engine/model/record.ts'
import { count } from './numbers.ts'

/** Numbers with what they count. Those of 0 are left out, but for the first. */
export function Tally({ totals }: { totals: Record<string, number> }) {
  const entries = Object.entries(totals)
  return (
    <dl class="totals">
      {entries.map(([name, value], at) =>
        value > 0 || at === 0 ? (
          <div>
            <dt>{capitalized(name)}</dt>
            <dd>{count(value)}</dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}

/** The same within a sentence, such as `3 created, 1 failed`. Those of 0 are left out. */
export function tallyText(totals: Record<string, number>): string {
  const counted = Object.entries(totals).filter(([, value]) => value > 0)
  return counted.map(([name, value]) => `${count(value)} ${name}`).join(', ')
}
