import { LOCATIONS } from '../../records/catalogue/kind.ts'
import { catalogueEndpoints } from './catalogue.ts'

export const locationsReference = catalogueEndpoints(LOCATIONS, {
  tag: 'Locations',
  create:
    'Creates a location. A `code` that exists, even if inactive, returns 409 `DUPLICATE`. On a retry this means that the first attempt succeeded. The response leaves `metadata` out.',
  created: 'The location, without its metadata.',
  list: 'Returns the active locations, newest first; with `is_active` the inactive ones, or all. Unlike other lists, this one shows no `id`: the specification lists its fields. `GET /locations/{code}/` shows it.',
  update:
    'Replaces the given fields. `id` and `code` cannot be changed: other values than the location has return `VALIDATION_ERROR`. `is_active` true reactivates a deactivated location. You can repeat this request.',
  change: { name: 'Overflow' },
  fault: ['zone', 'Must have at most 255 characters.'],
  ambiguous: 'Several locations have the zone "D", so it identifies none of them.',
})
