import { Hono } from 'hono'
import type { AppEnv } from '../../env.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check, query } from '../../middleware/validate.ts'
import { cutPage, PageQuery, pageRequest } from '../../pagination.ts'
import {
  createPartner,
  deletePartner,
  listPartners,
  updatePartner,
} from '../../settings/partners/queries.ts'
import { CreatePartner, UpdatePartner } from '../../settings/partners/schema.ts'
import { formOf } from '../form.ts'
import { redirectDone } from '../notice.ts'
import { fieldsOf, inputOf, NEW_PARTNER } from './form.tsx'
import { showDeletion, showNewPartner, showPartner, showPartners } from './pages.tsx'

const LIST = '/dashboard/partners/'

const write = requireScope('settings.write')

export const partners = new Hono<AppEnv>()

/** Apart from the others: a `new` beside `:id` is more than Hono's fast router takes. */
export const newPartner = new Hono<AppEnv>()

partners.get('/', query(PageQuery('partners')), async (c) => {
  const { tenant } = c.get('caller')
  const request = pageRequest(tenant, c.req.valid('query'))
  const rows = await listPartners(c.get('db'), request)
  return showPartners(c, cutPage(tenant, 'partners', rows, request.limit))
})

newPartner.get('/', write, (c) => showNewPartner(c, NEW_PARTNER, null))

newPartner.post('/', write, async (c) => {
  const form = await formOf(c, (sent, error) => showNewPartner(c, fieldsOf(sent), error))
  const { id } = await createPartner(c.get('db'), check(CreatePartner, inputOf(form)))
  return redirectDone(c, `${LIST}${id}/`, 'partner-created')
})

partners.get('/:id/', async (c) => showPartner(c, c.req.param('id'), null, null))

partners.post('/:id/', write, async (c) => {
  const id = c.req.param('id')
  const form = await formOf(c, (sent, error) => showPartner(c, id, fieldsOf(sent), error))
  await updatePartner(c.get('db'), id, check(UpdatePartner, inputOf(form)))
  return redirectDone(c, `${LIST}${id}/`, 'partner-saved')
})

partners.get('/:id/delete/', write, (c) => showDeletion(c, c.req.param('id'), null))

partners.post('/:id/delete/', write, async (c) => {
  const id = c.req.param('id')
  await formOf(c, (_, error) => showDeletion(c, id, error))
  await deletePartner(c.get('db'), id)
  return redirectDone(c, LIST, 'partner-deleted')
})
