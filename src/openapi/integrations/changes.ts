import * as z from 'zod'
import { Location } from '../../engine/model/location.ts'
import { Product } from '../../engine/model/product.ts'
import { StockRow } from '../../records/inventory/schema.ts'
import { OrderRecord } from '../../records/orders/schema.ts'
import { named } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { because, wrong } from '../errors.ts'

const Change = named(
  'Change',
  z.union([
    changeOf('products', Product.Shown),
    changeOf('locations', Location.Shown),
    changeOf('inventory', StockRow),
    changeOf('orders', OrderRecord),
  ]),
)

function changeOf<Name extends string, Shape extends z.ZodType>(name: Name, record: Shape) {
  return z.object({
    resource: z.literal(name),
    request_id: z.string().nullable(),
    changed_at: z.string().nullable(),
    record,
  })
}

export const changesReference = endpoints('integrations', 'Changes', {
  'GET /changes/': {
    operationId: 'listChanges',
    summary: 'Follow what changes',
    description:
      'Returns the records that have changed since a cursor, in the order in which the changes were committed, oldest first. Each record stands once, at its last change, as it is now: a walk from `from=start` gives every record, deactivated and cancelled ones too, and a record that changes again moves to the end. From the start, the stock that is there comes behind the other resources. Begin with `from=start` or `from=now`, and then send `next_cursor` as `cursor`, as long as you like: it is never null. While `has_more` is true, ask again at once; the last page may be empty. A page may also end early, before it would be too large. With `wait` an empty page is answered only when something has changed, or after so many seconds; at most 10 requests of a key wait at a time, and 100 of a tenant; one more is answered at once, with a warning for `wait` and `Retry-After`. A cursor from before a restore or a move returns 410 `CURSOR_EXPIRED`: begin anew with `from=start`.\n\nScopes: the read scope of each resource that it shows, so at least one of `integrations.products.read`, `integrations.locations.read`, `integrations.inventory.read`, `integrations.orders.read`. Release 1.0 does not have this endpoint.',
    answer: {
      ...pageOf('the feed', Change, {
        resource: 'inventory',
        request_id: '0c9f2a8e-93b1-4f5e-8a4e-2f6f5f0a9d11',
        changed_at: '2026-11-21T12:07:50.269Z',
        record: { location_code: 'A-01-1', sku_code: 'TEA-EARLGREY-100', quantity: 120 },
      }),
      isShaped: true,
      page: 'feed',
    },
    errors: {
      VALIDATION_ERROR: wrong(
        'cursor',
        "Not a cursor of this feed. Send the last answer's next_cursor.",
      ),
      NOT_FOUND: because('NOT_IN_RELEASE', { message: 'This path does not exist in release 1.0.' }),
      RELEASE_GONE: {
        message:
          'This API key is pinned to release 1.0, which has ended: set its release to "current".',
      },
      CURSOR_EXPIRED: {
        message:
          'The data was restored or moved after this cursor was given, so it does not say what has changed. Begin anew with from=start.',
      },
    },
  },
})
