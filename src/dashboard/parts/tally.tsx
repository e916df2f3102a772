import { count } from './numbers.ts'

/** Numbers with what they count. Those of 0 are left out, but for the first. */
export function Tally({ totals }: { totals: Record<string, number> }) {
  return <Counts counts={Object.entries(totals).filter(([, value], at) => value > 0 || at === 0)} />
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
