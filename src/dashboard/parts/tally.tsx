import { capitalized } from '../../engine/model/record.ts'
import { count } from './numbers.ts'

/** Numbers with what they count, with a capital letter. Those of 0 are left out, but for the first. */
export function Tally({ totals }: { totals: Record<string, number> }) {
  const shown = Object.entries(totals).filter(([, value], at) => value > 0 || at === 0)
  return <Counts counts={shown.map(([name, value]) => [capitalized(name), value])} />
}

/** Numbers with what they count, all of them. */
export function Counts({
  counts,
}: {
  counts: readonly (readonly [name: string, count: number])[]
}) {
  return (
    <dl class="totals">
      {counts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{count(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The totals of a Tally within a sentence, such as `3 created, 1 failed`. All those of 0 are left out. */
export function tallyText(totals: Record<string, number>): string {
  const counted = Object.entries(totals).filter(([, value]) => value > 0)
  return counted.map(([name, value]) => `${count(value)} ${name}`).join(', ')
}
