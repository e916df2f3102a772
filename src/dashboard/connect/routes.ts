import { type Context, Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { SetWebhookSecret } from '../../settings/api-keys/webhooks/schema.ts'
import { setSecret } from '../../settings/api-keys/webhooks/secrets.ts'
import { disconnectSystem } from '../../settings/connection-undo.ts'
import { findStarter } from '../../settings/mapping-starters/starters.ts'
import { findPreset } from '../../settings/webhook-presets/presets.ts'
import { CONNECT_SCOPES } from '../access.ts'
import { formOf } from '../form/read.ts'
import { SETTING_CONFIRMATION, VERSION, versionsSent, versionsShown } from '../form/version.tsx'
import { CONNECT_PATH } from '../paths.ts'
import { redirectDone } from '../shell/notice.ts'
import { showSystems } from './cards.tsx'
import { CARRIED } from './carried.tsx'
import { connected } from './connect.ts'
import { shapeOf } from './fields.ts'
import { showNewConnection } from './new.tsx'
import { showConnection } from './page.tsx'
import { showAgain, showArrived } from './show.tsx'
import { testDelivery } from './tested.tsx'
import { showUndo } from './undo.tsx'

export const connectPages = new Hono<AppEnv>()

for (const scope of CONNECT_SCOPES) connectPages.use(requireScope(scope))

connectPages.get('/', showSystems)

connectPages.get('/:preset/', async (c) =>
  showNewConnection(c, { ...(await chosenOf(c)), form: null, error: null }),
)

connectPages.post('/:preset/', async (c) => {
  const chosen = await chosenOf(c)
  const { preset } = chosen
  const form = await formOf(c, shapeOf(preset, chosen.starter), (sent, error) =>
    showNewConnection(c, { ...chosen, form: sent, error }),
  )
  const made = await connected(c, chosen, form)
  c.status(201)
  const arrivals = { newest: null, first: null }
  return showConnection(c, { ...made, preset, arrivals, result: null, error: null })
})

connectPages.get('/:preset/:id/', (c) => showAgain(c, { form: null }))

connectPages.post('/:preset/:id/', async (c) => {
  const form = await carryingForm(c)
  return await showAgain(c, { form })
})

connectPages.get('/:preset/:id/arrived/', showArrived)

connectPages.post('/:preset/:id/secret/', async (c) => {
  const form = await carryingForm(c, VERSION, 'secret')
  const input = check(SetWebhookSecret, { secret: form.text('secret') })
  await setSecret(c, c.req.param('id'), input, versionsSent(form))
  return await showAgain(c, { form })
})

connectPages.post('/:preset/:id/test/', async (c) => {
  const form = await carryingForm(c)
  return await showAgain(c, { form, result: await testDelivery(c) })
})

connectPages.get('/:preset/:id/undo/', async (c) => {
  const id = c.req.param('id')
  const error = await c.get('db').refusalOf((db) => disconnectSystem(db, id, versionsShown(c)))
  return showUndo(c, placeOf(c), error)
})

connectPages.post('/:preset/:id/undo/', async (c) => {
  const place = placeOf(c)
  const form = await formOf(c, SETTING_CONFIRMATION, (_, error) => showUndo(c, place, error))
  await disconnectSystem(c.get('db'), place.id, versionsSent(form))
  return redirectDone(c, CONNECT_PATH, 'connection-undone')
})

/** The preset that the path names, with its starter. */
async function chosenOf(c: Context<AppEnv>) {
  const preset = await findPreset(c.env, c.req.param('preset') ?? '')
  const starter = preset.starter === null ? null : await findStarter(c.env, preset.starter)
  return { preset, starter }
}

async function carryingForm(c: Context<AppEnv>, ...more: string[]) {
  const shape = { fields: [...CARRIED, ...more] }
  return await formOf(c, shape, (sent, error) => showAgain(c, { form: sent, error }))
}

function placeOf(c: Context<AppEnv>) {
  return { preset: c.req.param('preset') ?? '', id: c.req.param('id') ?? '' }
}
