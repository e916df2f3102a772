import { Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { cutPage, PageQuery, pageRequest } from '../../engine/json/pagination.ts'
import { keepable } from '../../engine/redaction/policy.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import {
  createPartner,
  deletePartner,
  findPartner,
  listPartners,
  updatePartner,
} from '../../settings/partners/queries.ts'
import { Partner } from '../../settings/partners/schema.ts'
import { filtersOf } from '../form/chosen.ts'
import { formOf } from '../form/read.ts'
import { SETTING_CONFIRMATION, versionsSent, versionsShown } from '../form/version.tsx'
import { isPageCsv, pageCsv } from '../parts/page-csv.tsx'
import { PARTNERS_PATH } from '../paths.ts'
import { addPause } from '../pause/routes.tsx'
import { redirectDone } from '../shell/notice.ts'
import { fieldsOf, inputOf, NEW_PARTNER, NEW_PARTNER_FORM, PARTNER_FORM } from './form.tsx'
import { PARTNERS_CSV, showPartners } from './list-page.tsx'
import { showNewPartner, showPartner, showPartnerDeletion } from './page.tsx'

const read = requireScope('settings.partners.read')
const write = requireScope('settings.partners.write')

export const partnerPages = new Hono<AppEnv>()

/** At a path of its own: Hono's fast router does not support `new` beside `:id`. */
export const newPartner = new Hono<AppEnv>()

partnerPages.use(read)
newPartner.use(read)

partnerPages.get('/', async (c) => {
  const { tenant } = c.get('caller')
  const chosen = filtersOf(c)
  const request = pageRequest(tenant, check(PageQuery('partners'), chosen))
  const page = cutPage(tenant, 'partners', await listPartners(c.get('db'), request), request)
  if (isPageCsv(chosen)) return await pageCsv(c, 'partners', PARTNERS_CSV, page)
  return showPartners(c, page)
})

newPartner.get('/', write, (c) => showNewPartner(c, NEW_PARTNER, null))

newPartner.post('/', write, async (c) => {
  const form = await formOf(c, NEW_PARTNER_FORM, (sent, error) =>
    showNewPartner(c, fieldsOf(sent), error),
  )
  const { id } = await createPartner(
    c.get('db'),
    keepable(c.env, check(Partner.Create, inputOf(form))),
  )
  return redirectDone(c, `${PARTNERS_PATH}${id}/`, 'partner-created')
})

partnerPages.get('/:id/', async (c) => showPartner(c, c.req.param('id'), null, null))

partnerPages.post('/:id/', write, async (c) => {
  const id = c.req.param('id')
  const form = await formOf(c, PARTNER_FORM, (sent, error) =>
    showPartner(c, id, fieldsOf(sent), error),
  )
  const input = keepable(c.env, check(Partner.Update, inputOf(form)))
  await updatePartner(c.get('db'), id, input, versionsSent(form))
  return redirectDone(c, `${PARTNERS_PATH}${id}/`, 'partner-saved')
})

addPause(partnerPages, {
  path: '/:id/pause/',
  write,
  whose: 'this partner',
  back: (id) => `${PARTNERS_PATH}${id}/`,
  find: (c, id) => findPartner(c.get('db'), id),
  save: (c, id, pause, versions) => updatePartner(c.get('db'), id, { pause }, versions),
})

partnerPages.get('/:id/delete/', write, async (c) => {
  const id = c.req.param('id')
  return showPartnerDeletion(
    c,
    id,
    await c.get('db').refusalOf((db) => deletePartner(db, id, versionsShown(c))),
  )
})

partnerPages.post('/:id/delete/', write, async (c) => {
  const id = c.req.param('id')
  const form = await formOf(c, SETTING_CONFIRMATION, (_, error) =>
    showPartnerDeletion(c, id, error),
  )
  await deletePartner(c.get('db'), id, versionsSent(form))
  return redirectDone(c, PARTNERS_PATH, 'partner-deleted')
})
