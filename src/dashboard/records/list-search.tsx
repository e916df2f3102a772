import type { AddressableResource } from '../../engine/mapping/identifier.ts'
import { Location } from '../../engine/model/location.ts'
import { Product } from '../../engine/model/product.ts'
import { capitalized, searchedBy } from '../../engine/model/record.ts'
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
