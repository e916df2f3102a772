import { Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { cutPage, PageQuery, pageRequest } from '../../engine/json/pagination.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { PEOPLE, PERSON } from '../../settings/api-keys/people/kind.ts'
import { createPerson, updatePerson } from '../../settings/api-keys/people/queries.ts'
import { Person } from '../../settings/api-keys/people/schema.ts'
import { listKeys, revokeKey } from '../../settings/api-keys/queries.ts'
import { filtersOf } from '../form/chosen.ts'
import { formOf } from '../form/read.ts'
import { SETTING_CONFIRMATION, versionsSent, versionsShown } from '../form/version.tsx'
import { isPageCsv, pageCsv } from '../parts/page-csv.tsx'
import { PEOPLE_PATH } from '../paths.ts'
import { redirectDone } from '../shell/notice.ts'
import { NEW_PERSON, NEW_PERSON_FORM, PERSON_FORM, personFieldsOf, personInput } from './form.tsx'
import { PEOPLE_CSV, showNewPerson, showPeople, showPerson, showRemoval } from './pages.tsx'

const read = requireScope('settings.people.read')
const write = requireScope('settings.people.write')

export const peoplePages = new Hono<AppEnv>()

/** At a path of its own: Hono's fast router does not support `new` beside `:id`. */
export const newPerson = new Hono<AppEnv>()

peoplePages.use(read)
newPerson.use(read)

peoplePages.get('/', async (c) => {
  const { tenant } = c.get('caller')
  const chosen = filtersOf(c)
  const request = pageRequest(tenant, check(PageQuery(PEOPLE), chosen))
  const page = cutPage(tenant, PEOPLE, await listKeys(PERSON, c.get('db'), request), request)
  if (isPageCsv(chosen)) return await pageCsv(c, 'people', PEOPLE_CSV, page)
  return showPeople(c, page)
})

newPerson.get('/', write, (c) => showNewPerson(c, NEW_PERSON, null))

newPerson.post('/', write, async (c) => {
  const form = await formOf(c, NEW_PERSON_FORM, (sent, error) =>
    showNewPerson(c, personFieldsOf(sent), error),
  )
  const { db, caller } = c.var
  const { id } = await createPerson(db, caller, check(Person.Create, personInput(form)))
  return redirectDone(c, `${PEOPLE_PATH}${id}/`, 'person-added')
})

peoplePages.get('/:id/', async (c) => showPerson(c, c.req.param('id'), null, null))

peoplePages.post('/:id/', write, async (c) => {
  const id = c.req.param('id')
  const form = await formOf(c, PERSON_FORM, (sent, error) =>
    showPerson(c, id, personFieldsOf(sent), error),
  )
  const { db, caller } = c.var
  await updatePerson(db, caller, id, check(Person.Update, personInput(form)), versionsSent(form))
  return redirectDone(c, `${PEOPLE_PATH}${id}/`, 'person-saved')
})

peoplePages.get('/:id/remove/', write, async (c) => {
  const id = c.req.param('id')
  const error = await c.get('db').refusalOf((db) => revokeKey(PERSON, db, id, versionsShown(c)))
  return showRemoval(c, id, error)
})

peoplePages.post('/:id/remove/', write, async (c) => {
  const id = c.req.param('id')
  const form = await formOf(c, SETTING_CONFIRMATION, (_, error) => showRemoval(c, id, error))
  await revokeKey(PERSON, c.get('db'), id, versionsSent(form))
  return redirectDone(c, PEOPLE_PATH, 'person-removed')
})
