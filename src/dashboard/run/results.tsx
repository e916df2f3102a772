import type { PropsWithChildren } from 'hono/jsx'
import { tallyText } from '../parts/tally.tsx'

interface ResultGroup<Kind, Result> {
  kind: Kind
  /** What the results are called, such as `refused again`. */
  text: string
  results: Result[]
}

/** The results by kind, in the order of `kinds`, each with what its results are called. */
export function resultGroups<Kind extends string, Result>(
  kinds: Record<Kind, string>,
  kindOf: (result: Result) => Kind,
  results: Result[],
): ResultGroup<Kind, Result>[] {
  const groups = Map.groupBy(results, kindOf)
  return (Object.keys(kinds) as Kind[]).map((kind) => {
    return { kind, text: kinds[kind], results: groups.get(kind) ?? [] }
  })
}

/** Such as `31 accepted, 4 refused again, 2 not sent`: those to look at come last. */
export function summaryOf(groups: ResultGroup<string, unknown>[]): string {
  const totals = groups.toReversed().map(({ text, results }) => [text, results.length])
  return tallyText(Object.fromEntries(totals))
}

/** A link that opens another tab: the way back to the page of a run would send its form once more. */
export function TabLink({ href, children }: PropsWithChildren<{ href: string }>) {
  return (
    <a href={href} target="_blank" rel="noopener">
      {children}
    </a>
  )
}
