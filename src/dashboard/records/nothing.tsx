import type { Child, PropsWithChildren } from 'hono/jsx'
import type { Resource } from '../../engine/mapping/identifier.ts'
import { Empty } from '../parts/empty.tsx'
import { ClearFilters, isFiltered } from '../parts/filter-panel.tsx'
import { listPath, type PageFilters } from '../paths.ts'
import { CASES, CASES_WITH_WORDS, nothingFound } from '../search-groups.ts'

interface NothingProps {
  resource: Resource
  fields: readonly string[]
  chosen: PageFilters
  /** What a list without filters says. Its children say how a record arrives. */
  text: string
  /** What a search that finds nothing says besides. */
  lacking?: Child
}

/** Shown in place of a list without rows. */
export function Nothing({
  resource,
  fields,
  chosen,
  text,
  lacking,
  children,
}: PropsWithChildren<NothingProps>) {
  if (chosen.search !== undefined)
    return <NothingFound resource={resource} chosen={chosen} lacking={lacking} />
  if (isFiltered(chosen, fields)) {
    return (
      <Empty text="Nothing matches these filters.">
        <ClearFilters at={listPath(resource)} />
      </Empty>
    )
  }
  return chosen.cursor === undefined ? (
    <Empty text={text}>{children}</Empty>
  ) : (
    <Empty text="There is nothing older." />
  )
}

/** In place of a list that a search leaves empty. */
function NothingFound({ resource, chosen, lacking }: Omit<NothingProps, 'fields' | 'text'>) {
  const hasWords = resource === 'orders'
  return chosen.cursor === undefined ? (
    <Empty text={nothingFound(chosen.search ?? '', hasWords)}>
      <p>{hasWords ? CASES_WITH_WORDS : CASES}</p>
      {lacking}
    </Empty>
  ) : (
    <Empty text="All of this page was on earlier pages: it matches in several ways." />
  )
}
