import { type Context, Hono } from 'hono'
import type { AppEnv } from '../../env.ts'
import type { Resource } from '../../mapping/identifier.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { deleteMapping, findMapping, saveMapping } from '../../settings/mappings/queries.ts'
import { AT_RESOURCE, SaveMapping } from '../../settings/mappings/schema.ts'
import { findPartner } from '../../settings/partners/queries.ts'
import { formOf } from '../form.ts'
import { redirectDone } from '../notice.ts'
import { draftOfForm } from './draft.ts'
import { mappingOf } from './mapping.ts'
import { addressOf, type Place, showDeletion, showSaved, showSent } from './pages.tsx'
import { PreviewPane } from './preview.tsx'
import { tryOut } from './trial.ts'

const read = requireScope('settings.read')
const write = requireScope('settings.write')

export const mappings = new Hono<AppEnv>()

mappings.get(AT_RESOURCE, read, (c) => showSaved(c, placeOf(c)))

mappings.post(AT_RESOURCE, write, async (c) => {
  const place = placeOf(c)
  const form = await formOf(c, (sent, error) => showSent(c, place, sent, { error }))
  const mapping = check(SaveMapping(place.resource), mappingOf(draftOfForm(form)))
  await saveMapping(c.get('db'), place.partnerId, place.resource, mapping)
  return redirectDone(c, addressOf(place), 'mapping-saved')
})

mappings.post(`${AT_RESOURCE}preview/`, write, async (c) => {
  const place = placeOf(c)
  const form = await formOf(c, (sent, error) => showSent(c, place, sent, { error }))
  const { id } = await findPartner(c.get('db'), place.partnerId)
  c.get('exchange').record_id = id
  const trial = tryOut(place.resource, form)
  // The script asks for the pane alone.
  return form.has('pane')
    ? c.html(<PreviewPane trial={trial} />)
    : showSent(c, place, form, { trial })
})

mappings.get(`${AT_RESOURCE}delete/`, write, async (c) => {
  const { partnerId, resource } = placeOf(c)
  await findMapping(c.get('db'), partnerId, resource)
  return showDeletion(c, placeOf(c), null)
})

mappings.post(`${AT_RESOURCE}delete/`, write, async (c) => {
  const { partnerId, resource } = placeOf(c)
  await formOf(c, (_, error) => showDeletion(c, placeOf(c), error))
  await deleteMapping(c.get('db'), partnerId, resource)
  return redirectDone(c, `/dashboard/partners/${partnerId}/`, 'mapping-deleted')
})

function placeOf(c: Context<AppEnv>): Place {
  return {
    partnerId: c.req.param('id') ?? '',
    resource: c.req.param('resource') as Resource,
  }
}
