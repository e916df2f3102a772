import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { findKeyRow } from '../../settings/api-keys/queries.ts'
import { WEBHOOK, webhooksOf } from '../../settings/api-keys/webhooks/kind.ts'
import { findSaved } from '../../settings/mappings/queries.ts'
import { findPreset } from '../../settings/webhook-presets/presets.ts'
import type { Form } from '../form/form.ts'
import { connectionPath } from '../paths.ts'
import { showNarrowPage } from '../shell/narrow-page.tsx'
import { ARRIVED, Arrived, arrivalsAt } from './arrived.tsx'
import { carriedBy, NOTHING_CARRIED } from './carried.tsx'
import { showConnection } from './page.tsx'
import type { TestResult } from './tested.tsx'

interface Again {
  /** The form that has sent along what was shown; null if none has. */
  form: Form | null
  error?: ApiError
  result?: TestResult
}

/** The page of the connection that the path names, after it was made. */
export async function showAgain(c: Context<AppEnv>, { form, error, result }: Again) {
  const { db } = c.var
  const preset = await findPreset(c.env, c.req.param('preset') ?? '')
  const row = await findKeyRow(WEBHOOK, db, c.req.param('id') ?? '')
  const webhook = await webhooksOf(c).shown(row)
  const [carried, arrivals, mapping] = await Promise.all([
    form ? carriedBy(c, row, form) : NOTHING_CARRIED,
    arrivalsAt(c, webhook),
    // A partner that is deleted has none.
    findSaved(db, webhook.partner_id, webhook.rules.resource).catch(() => null),
  ])
  return showConnection(c, {
    ...{ preset, webhook, carried, arrivals },
    mapping: mapping?.inbound ? 'there' : 'none',
    result: result ?? null,
    error: error ?? null,
  })
}

/** What has arrived, alone: the script of the page of a connection asks for it. */
export async function showArrived(c: Context<AppEnv>) {
  const preset = await findPreset(c.env, c.req.param('preset') ?? '')
  const { id, name, partner_id } = await findKeyRow(WEBHOOK, c.get('db'), c.req.param('id') ?? '')
  const arrivals = await arrivalsAt(c, { id, partner_id: partner_id ?? '' })
  return showNarrowPage(
    c,
    name,
    <>
      <div id={ARRIVED}>
        <Arrived preset={preset} arrivals={arrivals} />
      </div>
      <p>
        <a href={connectionPath(preset.name, id)}>How it is connected</a>
      </p>
    </>,
  )
}
