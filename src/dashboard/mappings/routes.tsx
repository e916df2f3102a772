import { type Context, Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import { notForPartners, readsDocuments } from '../../middleware/document-access.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { mayWriteSettings } from '../../requests/send-again/access.ts'
import { deleteMapping, findMapping, saveMapping } from '../../settings/mappings/queries.ts'
import { AT_RESOURCE, SaveMapping } from '../../settings/mappings/schema.ts'
import { findPartner } from '../../settings/partners/queries.ts'
import { formOf } from '../form/read.ts'
import { SETTING_CONFIRMATION, versionsSent, versionsShown } from '../form/version.tsx'
import { type MappingPlace, mappingPath } from '../paths.ts'
import { redirectDone } from '../shell/notice.ts'
import { draftOfForm } from './draft.ts'
import { showFile } from './file-page.tsx'
import { mappingForm } from './form.ts'
import { mappingOf } from './mapping.ts'
import { showMappingDeletion, showSaved, showSent } from './pages.tsx'
import { PreviewPane } from './preview.tsx'
import { replayForm } from './replay.ts'
import { ReplayPane } from './replay-pane.tsx'
import { FILE_FORM, type FileStep, requireFileScope, sendFile } from './send-file.ts'
import { tryOut } from './trial.ts'

const write = requireScope('settings.partners.write')

/** Mounted below partners/, which requires settings.partners.read. */
export const mappingPages = new Hono<AppEnv>()

mappingPages.get(AT_RESOURCE, (c) => showSaved(c, placeOf(c)))

mappingPages.post(AT_RESOURCE, write, async (c) => {
  const place = placeOf(c)
  const form = await sentOf(c, place)
  const mapping = check(SaveMapping(place.resource), mappingOf(draftOfForm(form)))
  const versions = versionsSent(form)
  await saveMapping(c.get('db'), place.partnerId, place.resource, mapping, versions)
  return redirectDone(c, mappingPath(place), 'mapping-saved')
})

mappingPages.post(`${AT_RESOURCE}preview/`, write, async (c) => {
  const place = placeOf(c)
  const form = await sentOf(c, place)
  const { id } = await findPartner(c.get('db'), place.partnerId)
  c.get('exchange').record_id = id
  const trial = await tryOut(c, place, form)
  // The script requests only the pane.
  return form.has('pane')
    ? c.html(<PreviewPane at={mappingPath(place)} trial={trial} />)
    : showSent(c, place, form, { trial })
})

mappingPages.post(`${AT_RESOURCE}replay/`, write, readsDocuments, async (c) => {
  const place = placeOf(c)
  const form = await sentOf(c, place)
  // The replay gives back the turn of a large form.
  const trial = form.has('pane') ? null : await tryOut(c, place, form)
  const replay = await replayForm(c, place, form)
  return trial
    ? showSent(c, place, form, { trial, replay })
    : c.html(<ReplayPane place={place} replay={replay} />)
})

const inPlaceOfPartner = [mayWriteSettings, notForPartners] as const

mappingPages.get(`${AT_RESOURCE}file/`, ...inPlaceOfPartner, async (c) => {
  const place = placeOf(c)
  requireFileScope(c, place)
  await findMapping(c.get('db'), place.partnerId, place.resource)
  return await showFile(c, place)
})

mappingPages.post(`${AT_RESOURCE}file/`, ...inPlaceOfPartner, (c) => useFile(c, 'check'))
mappingPages.post(`${AT_RESOURCE}file/send/`, ...inPlaceOfPartner, (c) => useFile(c, 'send'))

async function useFile(c: Context<AppEnv>, step: FileStep) {
  const place = placeOf(c)
  requireFileScope(c, place)
  const form = await formOf(c, FILE_FORM, (sent, error) => showFile(c, place, { sent, error }))
  // Nothing is read afterwards: a read can run the request anew, which would send the file twice.
  const partner = await findPartner(c.get('db'), place.partnerId)
  const answer = await sendFile(c, place, { form, step })
  return await showFile(c, place, { partner, sent: form, answer })
}

mappingPages.get(`${AT_RESOURCE}delete/`, write, async (c) => {
  const { partnerId, resource } = placeOf(c)
  await findMapping(c.get('db'), partnerId, resource)
  const refusal = await c
    .get('db')
    .refusalOf((db) => deleteMapping(db, partnerId, resource, versionsShown(c)))
  return showMappingDeletion(c, placeOf(c), refusal)
})

mappingPages.post(`${AT_RESOURCE}delete/`, write, async (c) => {
  const { partnerId, resource } = placeOf(c)
  const form = await formOf(c, SETTING_CONFIRMATION, (_, error) =>
    showMappingDeletion(c, placeOf(c), error),
  )
  await deleteMapping(c.get('db'), partnerId, resource, versionsSent(form))
  return redirectDone(c, `/dashboard/partners/${partnerId}/`, 'mapping-deleted')
})

async function sentOf(c: Context<AppEnv>, place: MappingPlace) {
  return await formOf(c, mappingForm(place), (sent, error) => showSent(c, place, sent, { error }))
}

function placeOf(c: Context<AppEnv>): MappingPlace {
  return {
    partnerId: c.req.param('id') ?? '',
    resource: c.req.param('resource') as Resource,
  }
}
