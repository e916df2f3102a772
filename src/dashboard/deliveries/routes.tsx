import { type Context, Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError } from '../../engine/errors.ts'
import { cutPage, pageRequest } from '../../engine/json/pagination.ts'
import { notForPartners } from '../../middleware/document-access.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import type { DeliveryAnswer } from '../../requests/deliveries/answers.ts'
import { applyDelivery } from '../../requests/deliveries/apply.ts'
import { dismissDelivery, findDelivery, listDeliveries } from '../../requests/deliveries/queries.ts'
import { DELIVERIES, DeliveriesQuery } from '../../requests/deliveries/schema.ts'
import { groupDeliveries } from '../../requests/deliveries/summary.ts'
import { listWaitingWebhooks } from '../../requests/deliveries/webhooks.ts'
import { may } from '../access.ts'
import { filtersOf } from '../form/chosen.ts'
import { formOf } from '../form/read.ts'
import { CONFIRMATION } from '../form/shape.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { isFiltered } from '../parts/filter-panel.tsx'
import { isPageCsv, pageCsv } from '../parts/page-csv.tsx'
import { reasonText } from '../parts/reason-text.ts'
import { DELIVERIES_PATH, deliveryPath, requestPath } from '../paths.ts'
import { redirectDone } from '../shell/notice.ts'
import { showPage } from '../shell/page.tsx'
import { DELIVERIES_CSV } from './list.tsx'
import { FILTERS, showBadDeliveryFilters, showDeliveries } from './list-page.tsx'
import { showDelivery } from './page.tsx'
import { knownAbout } from './remedy.tsx'
import { documentName } from './words.ts'

const write = requireScope('settings.deliveries.write')

/** The deliveries that wait, and what is done to one of them. */
export const deliveryPages = new Hono<AppEnv>()

deliveryPages.use(requireScope('settings.documents.read'), notForPartners)

deliveryPages.get('/', async (c) => {
  const chosen = filtersOf(c)
  c.set('showForm', (error) => showBadDeliveryFilters(c, chosen, error))
  const { limit, cursor, ...filters } = check(DeliveriesQuery, chosen)
  const { tenant } = c.get('caller')
  const request = pageRequest(tenant, { limit, cursor }, filters)
  const db = c.get('db')
  const isWhole = cursor === undefined && !isFiltered(chosen, FILTERS)
  const [found, webhooks, grouped] = await Promise.all([
    listDeliveries(db, filters, request),
    namedWebhooks(c),
    isWhole ? groupDeliveries(db) : null,
  ])
  const page = cutPage(tenant, DELIVERIES, found, request)
  if (isPageCsv(chosen)) return await pageCsv(c, 'deliveries', DELIVERIES_CSV, page)
  const known = await knownAbout(c, grouped?.groups ?? [])
  return showDeliveries(c, { ...page, chosen, webhooks, known, grouped })
})

/** None that the session's key may not see. */
async function namedWebhooks(c: Context<AppEnv>) {
  const maySee = may(c, 'settings.keys.read') && may(c, 'settings.partners.read')
  return maySee ? await listWaitingWebhooks(c.get('db')) : []
}

deliveryPages.get('/:id/', (c) => showDelivery(c, c.req.param('id'), null))

deliveryPages.post('/:id/apply/', write, async (c) => {
  const id = c.req.param('id')
  await formOf(c, CONFIRMATION, (_, error) => showDelivery(c, id, error))
  const { outcome, request_id, error } = await applyDelivery(c, id)
  c.get('exchange').record_id = id
  if (outcome === 'waiting') return redirectDone(c, deliveryPath(id), 'delivery-waits')
  if (outcome === null) throw refusedTry(error)
  return request_id !== null && may(c, 'settings.audit.read')
    ? redirectDone(c, requestPath(request_id), 'delivery-applied')
    : redirectDone(c, DELIVERIES_PATH, 'delivery-ended')
})

/** Its webhook has ended, or D1 is in trouble. */
function refusedTry(error: DeliveryAnswer['error']): ApiError {
  return new ApiError('IN_USE', `The delivery could not be tried. ${error?.message ?? ''}`)
}

deliveryPages.get('/:id/dismiss/', write, async (c) => {
  const id = c.req.param('id')
  // It may not wait any more: then its page says what became of it.
  c.set('showForm', (error) => showDelivery(c, id, error))
  return await showDismissal(c, id, null)
})

deliveryPages.post('/:id/dismiss/', write, async (c) => {
  const id = c.req.param('id')
  await formOf(c, CONFIRMATION, (_, error) =>
    error.code === 'NOT_FOUND' ? showDelivery(c, id, error) : showDismissal(c, id, error),
  )
  await dismissDelivery(c.get('db'), id)
  return redirectDone(c, DELIVERIES_PATH, 'delivery-dismissed')
})

async function showDismissal(c: Context<AppEnv>, id: string, error: ApiError | null) {
  const { resource, record, message } = await findDelivery(c.get('db'), id)
  return showPage(
    c,
    'Dismiss a delivery',
    <Confirmation
      question={`Dismiss the delivery of ${documentName(resource, record)}?`}
      action="Dismiss"
      look="danger"
      back={deliveryPath(id)}
      backText="Let it wait"
      error={error}
    >
      <p>
        Nothing of it is applied, and its document is deleted. Its sender was answered 200 and does
        not send it again by itself. It waits because of this: {reasonText(message)}
      </p>
    </Confirmation>,
  )
}
