import { type Context, Hono } from 'hono'
import { ok } from '../../engine/answers/envelope.ts'
import type { AppEnv } from '../../engine/env.ts'
import { notForPartners } from '../../middleware/document-access.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body } from '../../middleware/validate.ts'
import { requireSendAgain } from './access.ts'
import { SendAgain, SendAllAgain } from './schema.ts'
import { answered, sendAgain } from './send.ts'
import { sendAllAgain } from './send-all.ts'

const read = requireScope('settings.documents.read')

/** One request, by its id. */
export const sendOneAgainRoutes = new Hono<AppEnv>()

sendOneAgainRoutes.post('/', read, requireSendAgain, notForPartners, body(SendAgain), async (c) => {
  const sent = await answered(await sendAgain(c, c.req.param('id') ?? '', c.req.valid('json')))
  return ok(named(c, sent.request_id), sent)
})

/** Several requests. */
export const sendSeveralAgainRoutes = new Hono<AppEnv>()

sendSeveralAgainRoutes.post(
  '/',
  read,
  requireSendAgain,
  notForPartners,
  body(SendAllAgain),
  async (c) => {
    const outcomes = await sendAllAgain(c, c.req.valid('json').request_ids)
    const warnings = c.get('exchange').dry_run && outcomes.length > 1 ? [EACH_ALONE] : []
    return ok(named(c, outcomes[0]?.replay_of ?? ''), outcomes, warnings)
  },
)

const EACH_ALONE = {
  field: 'request_ids',
  message: 'Each was rehearsed alone: what one of them changes was not there for the next.',
}

/** What was sent has a row of its own; this one names it, or the first of several. */
function named(c: Context<AppEnv>, record_id: string): Context<AppEnv> {
  c.get('exchange').record_id = record_id
  return c
}
