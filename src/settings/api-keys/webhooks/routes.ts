import { type Context, Hono } from 'hono'
import { ok } from '../../../engine/answers/envelope.ts'
import { page } from '../../../engine/answers/list.ts'
import { newSetting, okSetting } from '../../../engine/answers/record.ts'
import type { AppEnv } from '../../../engine/env.ts'
import { NoFields } from '../../../engine/json/fields.ts'
import { PageQuery, pageRequest } from '../../../engine/json/pagination.ts'
import { ifMatch, ifNoneMatch } from '../../../middleware/conditions.ts'
import { requireScope } from '../../../middleware/require-scope.ts'
import { body, query } from '../../../middleware/validate.ts'
import { versionsAsked } from '../../versions.ts'
import { findKey, listKeys, revokeKey } from '../queries.ts'
import { rotateKey } from '../rotate.ts'
import { RotateApiKey } from '../schema.ts'
import { createWebhook, updateWebhook, webhookAddress } from './changes.ts'
import { WEBHOOKS } from './filters.ts'
import { webhooksOf } from './kind.ts'
import { SetWebhookSecret, Webhook } from './schema.ts'
import { setSecret } from './secrets.ts'

const read = requireScope('settings.keys.read')
const write = requireScope('settings.keys.write')

export const webhooksRoutes = new Hono<AppEnv>()

webhooksRoutes.post('/', write, body(Webhook.Create), async (c) => {
  return createdWebhook(c, await createWebhook(c, c.req.valid('json')))
})

webhooksRoutes.get('/', read, query(PageQuery(WEBHOOKS)), async (c) => {
  const request = pageRequest(c.get('caller').tenant, c.req.valid('query'))
  return page(c, WEBHOOKS, request, await listKeys(webhooksOf(c), c.get('db'), request))
})

webhooksRoutes.get('/:id/', read, ifNoneMatch, async (c) => {
  const id = c.req.param('id')
  return okSetting(c, id, await findKey(webhooksOf(c), c.get('db'), id))
})

webhooksRoutes.put('/:id/', write, ifMatch, body(Webhook.Update), async (c) => {
  const id = c.req.param('id')
  const changed = updateWebhook(c, id, c.req.valid('json'), versionsAsked(c, id))
  return okSetting(c, id, await changed)
})

webhooksRoutes.put('/:id/secret/', write, ifMatch, body(SetWebhookSecret), async (c) => {
  const id = c.req.param('id')
  return okSetting(c, id, await setSecret(c, id, c.req.valid('json'), versionsAsked(c, id)))
})

webhooksRoutes.post('/:id/rotate/', write, ifMatch, body(RotateApiKey), async (c) => {
  const { db, caller } = c.var
  const id = c.req.param('id')
  const input = c.req.valid('json')
  const rotated = rotateKey(webhooksOf(c), db, caller, id, input, versionsAsked(c, id))
  return createdWebhook(c, await rotated)
})

webhooksRoutes.delete('/:id/', write, ifMatch, body(NoFields), async (c) => {
  const id = c.req.param('id')
  const revoked = revokeKey(webhooksOf(c), c.get('db'), id, versionsAsked(c, id))
  const { version, ...shown } = await revoked
  return ok(c, shown)
})

const NO_ADDRESS = {
  field: 'address',
  message: 'A dry run makes no address, so there is none to show.',
}

type Created = Awaited<ReturnType<typeof createWebhook>>

/** The answer that shows the address, this once. */
function createdWebhook(c: Context<AppEnv>, { key, ...webhook }: Created): Response {
  const isTold = !c.get('db').rehearses
  const address = isTold ? webhookAddress(c, key) : null
  const created = { ...webhook, address }
  return newSetting(c, created, isTold ? [] : [NO_ADDRESS])
}
