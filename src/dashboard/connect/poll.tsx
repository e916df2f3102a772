import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { findKeyRow } from '../../settings/api-keys/queries.ts'
import { WEBHOOK } from '../../settings/api-keys/webhooks/kind.ts'
import { findPreset } from '../../settings/webhook-presets/presets.ts'
import { connectionPath } from '../paths.ts'
import { showPage } from '../shell/page.tsx'
import { ARRIVED, Arrived, arrivalsAt } from './arrived.tsx'

/** What has arrived, alone: the script of the page of a connection asks for it. */
export async function showArrived(c: Context<AppEnv>) {
  const preset = await findPreset(c.env, c.req.param('preset') ?? '')
  const { id, name, partner_id } = await findKeyRow(WEBHOOK, c.get('db'), c.req.param('id') ?? '')
  const arrivals = await arrivalsAt(c, { id, partner_id: partner_id ?? '' })
  return showPage(
    c,
    name,
    <article class="narrow">
      <h1>{name}</h1>
      <div id={ARRIVED}>
        <Arrived preset={preset} arrivals={arrivals} />
      </div>
      <p>
        <a href={connectionPath(preset.name, id)}>How it is connected</a>
      </p>
    </article>,
  )
}
