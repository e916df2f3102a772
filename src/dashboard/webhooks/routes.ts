import { type Context, Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { cutPage, pageRequest } from '../../engine/json/pagination.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { grantRefusal } from '../../settings/api-keys/grant.ts'
import { findKey, listKeys } from '../../settings/api-keys/queries.ts'
import { createWebhook } from '../../settings/api-keys/webhooks/changes.ts'
import { WEBHOOKS, WebhooksQuery, webhooksWith } from '../../settings/api-keys/webhooks/filters.ts'
import { webhooksOf } from '../../settings/api-keys/webhooks/kind.ts'
import { SetWebhookSecret, Webhook } from '../../settings/api-keys/webhooks/schema.ts'
import { setSecret } from '../../settings/api-keys/webhooks/secrets.ts'
import type { WebhookPreset } from '../../settings/webhook-presets/preset-schema.ts'
import { findPreset } from '../../settings/webhook-presets/presets.ts'
import { addKeyActions } from '../api-keys/actions.tsx'
import { Overlap } from '../api-keys/overlap.ts'
import { filtersOf } from '../form/chosen.ts'
import { formOf } from '../form/read.ts'
import { versionsSent } from '../form/version.tsx'
import { isPageCsv, pageCsv } from '../parts/page-csv.tsx'
import { webhookPath } from '../paths.ts'
import { redirectDone } from '../shell/notice.ts'
import { showAddress } from './created.tsx'
import { showNewWebhook } from './edit.tsx'
import { NEW_WEBHOOK, newWebhookOf, sentWebhook } from './fields.ts'
import { inputOfWebhook } from './input.ts'
import { showWebhooks, showWrongWebhookFilters } from './list.tsx'
import { grantedOf, showWebhook } from './page.tsx'
import { SECRET, showSecret } from './secret.tsx'
import { besideWebhooks, WEBHOOKS_CSV, webhookLines } from './table.tsx'
import { WEBHOOK_PAGES } from './webhook-pages.tsx'

const read = requireScope('settings.keys.read')
const write = requireScope('settings.keys.write')

export const webhookPages = new Hono<AppEnv>()

/** At a path of its own: Hono's fast router does not support `new` beside `:id`. */
export const newWebhook = new Hono<AppEnv>()

webhookPages.use(read)
newWebhook.use(read)

webhookPages.get('/', async (c) => {
  const chosen = filtersOf(c)
  c.set('showForm', (error) => showWrongWebhookFilters(c, chosen, error))
  const { limit, cursor, ...filters } = check(WebhooksQuery, chosen)
  const { tenant } = c.get('caller')
  const request = pageRequest(tenant, { limit, cursor }, filters)
  const rows = await listKeys(webhooksOf(c), c.get('db'), request, webhooksWith(filters))
  const page = cutPage(tenant, WEBHOOKS, rows, request)
  if (!isPageCsv(chosen)) return showWebhooks(c, chosen, page)
  const lines = webhookLines(page.rows, await besideWebhooks(c, page.rows))
  return await pageCsv(c, 'webhooks', WEBHOOKS_CSV, { ...page, rows: lines })
})

newWebhook.get('/', write, async (c) => {
  const name = c.req.query('preset') ?? ''
  const preset = name === '' ? null : await findPreset(c.env, name)
  return showNewWebhook(c, newWebhookOf(c, preset), name, null)
})

newWebhook.post('/', write, async (c) => {
  const form = await formOf(c, NEW_WEBHOOK, (sent, error) =>
    showNewWebhook(c, sentWebhook(sent), sent.text('preset'), error),
  )
  const input = { ...inputOfWebhook(form), secret: form.optional('secret') }
  const created = await createWebhook(c, check(Webhook.Create, input))
  return showAddress(c, created, { preset: await presetOf(c, form.text('preset')) })
})

/** Null without one. The address is shown even if the preset cannot be read: it is shown only once. */
async function presetOf(c: Context<AppEnv>, name: string): Promise<WebhookPreset | null> {
  return name === '' ? null : await findPreset(c.env, name).catch(() => null)
}

webhookPages.get('/:id/', (c) => showWebhook(c, c.req.param('id')))

webhookPages.get('/:id/secret/', write, async (c) => {
  const id = c.req.param('id')
  const record = await findKey(webhooksOf(c), c.get('db'), id)
  return showSecret(c, id, null, grantRefusal(c.get('caller'), grantedOf(record)))
})

webhookPages.post('/:id/secret/', write, async (c) => {
  const id = c.req.param('id')
  const form = await formOf(c, SECRET, (sent, error) =>
    showSecret(c, id, sent.text('overlap_seconds'), error),
  )
  const { overlap_seconds } = check(Overlap, { overlap_seconds: form.text('overlap_seconds') })
  const input = { secret: form.text('secret'), overlap_seconds: Number(overlap_seconds) }
  await setSecret(c, id, check(SetWebhookSecret, input), versionsSent(form))
  return redirectDone(c, webhookPath(id), 'secret-saved')
})

addKeyActions(webhookPages, WEBHOOK_PAGES)
