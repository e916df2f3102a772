import { type Context, Hono } from 'hono'
import { ok, success } from '../../engine/answers/envelope.ts'
import { exportFormat } from '../../engine/answers/format.ts'
import { readCsv } from '../../engine/body/csv.ts'
import type { AppEnv } from '../../engine/env.ts'
import { invalid } from '../../engine/errors.ts'
import { NoFields } from '../../engine/json/fields.ts'
import { unusedFields } from '../../engine/json/warnings.ts'
import type { CodeKind } from '../../engine/mapping/item-code.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body, check, query } from '../../middleware/validate.ts'
import { withNumbers } from './csv-numbers.ts'
import { csvColumns, exportCodes } from './export.ts'
import { CODE_WORDS, shownCode } from './kind.ts'
import { deleteCode, findCode, listCodes, saveCode, saveCodes } from './queries.ts'
import {
  CodesQuery,
  ManyCodes,
  ManyCodesQuery,
  manyOf,
  schemasOfCode,
  storedCode,
} from './schema.ts'
import type { CodeTable } from './statements.ts'

const read = requireScope('settings.partners.read')
const write = requireScope('settings.partners.write')

/** The endpoints of the codes of one kind, below a partner. */
export function itemCodesRoutes(kind: CodeKind): Hono<AppEnv> {
  const words = CODE_WORDS[kind]
  const columns = csvColumns(words)
  const { One, Row } = schemasOfCode(words)
  const known = manyOf(words)
  const routes = new Hono<AppEnv>()
  const tableOf = (c: Context<AppEnv>): CodeTable => ({ partnerId: c.req.param('id') ?? '', kind })

  routes.get('/', read, query(CodesQuery), async (c) => {
    const asked = c.req.valid('query')
    if (exportFormat(c) === 'csv') {
      refusePaging(c)
      return await exportCodes(c, tableOf(c), asked.search)
    }
    const { tenant } = c.get('caller')
    const { rows, next_cursor } = await listCodes(c.get('db'), tenant, tableOf(c), asked)
    const data = rows.map((row) => shownCode(words, row))
    return success(c, 200, { data, pagination: { limit: asked.limit, next_cursor } })
  })

  const many = body(ManyCodes, {
    csv: async (c) => ({
      item_codes: withNumbers(await readCsv(c, columns, columns.slice(0, 2))),
    }),
  })

  routes.put('/', write, query(ManyCodesQuery, { isOfList: false }), many, async (c) => {
    const { item_codes } = c.req.valid('json')
    const { replace } = c.req.valid('query')
    const unused = unusedFields(known, { item_codes })
    const { result, warnings } = await saveCodes(c.get('db'), tableOf(c), item_codes, replace)
    return ok(c, result, [...unused, ...warnings])
  })

  routes.get('/:code/', read, async (c) =>
    ok(c, shownCode(words, await findCode(c.get('db'), tableOf(c), c.req.param('code')))),
  )

  routes.put('/:code/', write, body(One), async (c) => {
    const { code } = check(Row.pick({ code: true }), { code: c.req.param('code') })
    const given = storedCode(words, { ...c.req.valid('json'), code })
    return ok(c, shownCode(words, await saveCode(c.get('db'), tableOf(c), given)))
  })

  routes.delete('/:code/', write, body(NoFields), async (c) =>
    ok(c, await deleteCode(c.get('db'), tableOf(c), c.req.param('code'))),
  )

  return routes
}

/** The file is the whole table. */
function refusePaging(c: Context<AppEnv>): void {
  const { searchParams } = c.get('exchange').url
  const names = ['limit', 'cursor'].filter((name) => searchParams.has(name))
  if (names.length === 0) return
  const message = 'An export is the whole list: leave it out.'
  const fields = Object.fromEntries(names.map((name) => [name, [message]]))
  throw invalid(fields, 'CONFLICTING_PARAMETERS')
}
