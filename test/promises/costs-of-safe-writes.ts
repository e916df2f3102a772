import { follow, now } from '../fixtures/following.ts'
import { openAdmin } from '../fixtures/tenant.ts'
import { idOf, LOG } from '../fixtures/undo.ts'
import {
  type Api,
  api,
  db,
  orderOf,
  PLENTY,
  pathOfOrder,
  type Request,
  stockedLocation,
  upload,
} from './costs.ts'

/** Dry runs, the feed of changes, and what is remembered of requests, at records of their own. */
export const SAFE_WRITES: Record<string, () => Promise<Request>> = {
  'A dry run of 1,000 rows of stock, changed': async () => {
    const [caller, method, path, body] = upload(await stockedLocation(PLENTY), PLENTY + 1)
    return [caller, method, `${path}?dry_run=true`, body]
  },
  'GET 50 changes of products': async () => [api, 'GET', pageOf('from=start', 'products')],
  'GET 50 changes of locations': async () => [api, 'GET', pageOf('from=start', 'locations')],
  'GET 50 changes of orders of 3 lines': async () => {
    const since = await now(api, 'resource=orders')
    for (let n = 0; n < 50; n++) await orderOf(api)
    return [api, 'GET', pageOf(since, 'orders')]
  },
  'GET 50 changes of stock from the start': async () => [
    api,
    'GET',
    pageOf('from=start', 'inventory'),
  ],
  'GET 50 changes of stock, created': async () => {
    const since = await now(api, 'resource=inventory')
    await stockedLocation(PLENTY)
    return [api, 'GET', pageOf(since, 'inventory')]
  },
  'GET 50 changes of stock, changed': async () => {
    const code = await stockedLocation(PLENTY)
    const since = await now(api, 'resource=inventory')
    await send(upload(code, PLENTY + 1))
    return [api, 'GET', pageOf(since, 'inventory')]
  },
  'GET no changes': async () => [
    api,
    'GET',
    `/changes/?${(await follow(api, await now(api))).next}`,
  ],
  'GET 50 of what 1,000 rows changed': async () => {
    const { admin, id } = await changedUpload()
    return [admin, 'GET', `${LOG}/${id}/changes/`]
  },
  'GET 50 of the history of a location': async () => {
    const code = await stockedLocation(PLENTY)
    await db.exec('delete from replaced_values')
    await send(upload(code, PLENTY + 1))
    return [api, 'GET', `/inventory/${code}/history/`]
  },
  'Undo of 1,000 rows of stock': async () => {
    const { admin, id } = await changedUpload()
    return [admin, 'POST', `${LOG}/${id}/undo/`, {}]
  },
  'A dry run of that undo': async () => {
    const { admin, id } = await changedUpload()
    return [admin, 'POST', `${LOG}/${id}/undo/?dry_run=true`, {}]
  },
  "Undo of a PUT of an order's status": async () => {
    const order = await pathOfOrder()
    const admin = await onlyCaller()
    const id = await send([admin, 'PUT', order, { status: 'in_progress' }])
    return [admin, 'POST', `${LOG}/${id}/undo/`, {}]
  },
}

const pageOf = (from: string, resource: string) => `/changes/?${from}&resource=${resource}`

async function changedUpload() {
  const [, method, path, body] = upload(await stockedLocation(PLENTY), PLENTY + 1)
  const admin = await onlyCaller()
  return { admin, id: await send([admin, method, path, body]) }
}

/** A key that made all requests of the log: what it costs to find one depends on how many did. */
async function onlyCaller(): Promise<Api> {
  const admin = await openAdmin()
  await admin.get('/products/?limit=1')
  await db.exec('delete from audit_log where seq < (select max(seq) from audit_log)')
  return admin
}

/** The id of the request. */
async function send([caller, method, path, body]: Request): Promise<string> {
  return idOf(await caller.call(method, path, body))
}
