import type { Child } from 'hono/jsx'
import type { AddressableResource, Resource } from '../../engine/mapping/identifier.ts'
import { Location } from '../../engine/model/location.ts'
import { Product } from '../../engine/model/product.ts'
import { capitalized, searchedBy } from '../../engine/model/record.ts'
import { Empty } from '../parts/empty.tsx'
import { SearchInput } from '../parts/search-input.tsx'
import { listPath, type PageFilters } from '../paths.ts'
import { CASES, CASES_WITH_WORDS, nothingFound } from '../search-groups.ts'

const BY: Record<AddressableResource, string> = {
  orders: 'Number, id or customer',
  products: capitalized(searchedBy(Product)),
  locations: capitalized(searchedBy(Location)),
}

interface ListSearchProps {
  resource: AddressableResource
  chosen: PageFilters
}

/** The search of one list. It drops the list's filters. */
export function ListSearch({ resource, chosen: { search = '' } }: ListSearchProps) {
  return (
    <search aria-label={capitalized(resource)}>
      <form class="request-search" method="get">
        <SearchInput
          name="search"
          label={`Search ${resource}`}
          value={search}
          placeholder={BY[resource]}
        />
        <button type="submit">Search</button>
        {search !== '' && (
          <a class="button secondary outline" href={listPath(resource)}>
            Clear
          </a>
        )}
      </form>
    </search>
  )
}

interface NothingFoundProps {
  resource: Resource
  chosen: PageFilters
  /** What else there is to say. */
  lacking?: Child | undefined
}

/** In place of a list that a search leaves empty. */
export function NothingFound({
  resource,
  chosen: { search = '', cursor },
  lacking,
}: NothingFoundProps) {
  const hasWords = resource === 'orders'
  return cursor === undefined ? (
    <Empty text={nothingFound(search, hasWords)}>
      <p>{hasWords ? CASES_WITH_WORDS : CASES}</p>
      {lacking}
    </Empty>
  ) : (
    <Empty text="All of this page was on earlier pages: it matches in several ways." />
  )
}
