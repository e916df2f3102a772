import type { Child } from 'hono/jsx'
import type { AddressableResource } from '../../engine/mapping/identifier.ts'
import { Location } from '../../engine/model/location.ts'
import { Product } from '../../engine/model/product.ts'
import { capitalized, searchedBy } from '../../engine/model/record.ts'
import { Empty } from '../parts/empty.tsx'
import { SearchInput } from '../parts/search-input.tsx'
import { listPath, type PageFilters } from '../paths.ts'

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
  chosen: PageFilters
  /** What else there is to say. */
  lacking?: Child | undefined
}

/** In place of a list that a search leaves empty. */
export function NothingFound({ chosen: { search, cursor }, lacking }: NothingFoundProps) {
  return cursor === undefined ? (
    <Empty text={`Nothing is, or begins with, “${search}”.`}>
      <p>Write identifiers in their exact case, and names in any.</p>
      {lacking}
    </Empty>
  ) : (
    <Empty text="All of this page was on earlier pages: it matches in several ways." />
  )
}
