import { type Context, Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { CODE_KINDS } from '../../engine/mapping/item-code.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { exportCodes } from '../../settings/item-codes/export.ts'
import { CODE_WORDS } from '../../settings/item-codes/kind.ts'
import { deleteCode, saveCode } from '../../settings/item-codes/queries.ts'
import { schemasOfCode, storedCode } from '../../settings/item-codes/schema.ts'
import type { CodeTable } from '../../settings/item-codes/statements.ts'
import { filtersOf } from '../form/chosen.ts'
import { formOf } from '../form/read.ts'
import { CONFIRMATION } from '../form/shape.ts'
import { itemCodesPath } from '../paths.ts'
import { isCsv } from '../records/filter-form.tsx'
import { redirectDone } from '../shell/notice.ts'
import { codeForm, IMPORT_FORM, rowIn, typedIn } from './fields.ts'
import { importCodes, showImport } from './import.tsx'
import { showCodeDeletion, showCodes } from './page.tsx'

const read = requireScope('settings.partners.read')
const write = requireScope('settings.partners.write')

/** The pages of the item codes of a partner. */
export const itemCodePages = new Hono<AppEnv>()

itemCodePages.use(read)

const AT = '/:kind{products|locations}/'

itemCodePages.get(AT, async (c) => {
  const table = tableOf(c)
  const chosen = filtersOf(c)
  c.set('showForm', (error) => showCodes(c, table, { chosen: {}, error }))
  if (isCsv(chosen)) return await exportCodes(c, table, chosen.search, { hasMark: true })
  return await showCodes(c, table, { chosen, error: null })
})

itemCodePages.post(AT, write, async (c) => {
  const table = tableOf(c)
  const words = CODE_WORDS[table.kind]
  const form = await formOf(c, codeForm(words), (sent, error) =>
    showCodes(c, table, { chosen: {}, fields: typedIn(words, sent), error }),
  )
  const row = check(schemasOfCode(words).Row, rowIn(words, form))
  await saveCode(c.get('db'), table, storedCode(words, row))
  return redirectDone(c, itemCodesPath(table), 'code-saved')
})

itemCodePages.get(`${AT}import/`, write, (c) => showImport(c, tableOf(c), null, null))

itemCodePages.post(`${AT}import/`, write, async (c) => {
  const table = tableOf(c)
  const form = await formOf(c, IMPORT_FORM, (sent, error) => showImport(c, table, sent, error))
  return await importCodes(c, table, form)
})

itemCodePages.get(`${AT}delete/:code/`, write, async (c) => {
  const table = tableOf(c)
  const code = codeIn(c)
  const refusal = await c.get('db').refusalOf((db) => deleteCode(db, table, code))
  return showCodeDeletion(c, table, code, refusal)
})

itemCodePages.post(`${AT}delete/:code/`, write, async (c) => {
  const table = tableOf(c)
  const code = codeIn(c)
  await formOf(c, CONFIRMATION, (_, error) => showCodeDeletion(c, table, code, error))
  await deleteCode(c.get('db'), table, code)
  return redirectDone(c, itemCodesPath(table), 'code-deleted')
})

function tableOf(c: Context<AppEnv>): CodeTable {
  const kind = CODE_KINDS.find((one) => one === c.req.param('kind'))
  if (!kind) throw new Error('The path has another kind.')
  return { partnerId: c.req.param('id') ?? '', kind }
}

function codeIn(c: Context<AppEnv>): string {
  return c.req.param('code') ?? ''
}
