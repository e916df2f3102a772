import { type Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../../engine/env.ts'
import { BODY_BYTES_MAX } from '../../engine/json/fields.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import type { Pages } from '../catalogue/pages.ts'
import type { Form } from '../form/form.ts'
import { formOf } from '../form/read.ts'
import type { Shape } from '../form/shape.ts'
import { asClient } from '../records/as-client.ts'
import { CarriedStock, carriedRows, carriedText, RECORDS_IMPORT, STOCK_IMPORT } from './carried.ts'
import { importNext } from './import-next.ts'
import { importStock } from './import-stock.ts'
import { showImportForm, showPlan } from './page.tsx'
import type { ImportPages } from './pages.ts'
import { planRecords, sheetOfRecords } from './plan-records.ts'
import { planStock, STOCK_MAX, STOCK_SHEET } from './plan-stock.ts'
import { showImported, showStockResult } from './result.tsx'
import { fieldsOfImport, importOfForm, newImport } from './run.ts'
import { readSheet } from './sheet.ts'

const FILE: Shape = { fields: ['document'], bytesMax: BODY_BYTES_MAX }

/** An answered form has an audit row, which needs a name: a check and an import are about no single record. */
const namedByItself = createMiddleware<AppEnv>(async function namedByItself(c, next) {
  const exchange = c.get('exchange')
  if (c.req.method === 'POST') exchange.record_id = exchange.request_id
  await next()
})

/** The pages that import a table of products or locations, each row as a change of its own. */
export function importRecordPages({ kind, example }: Pages): Hono<AppEnv> {
  const { resource, record } = kind
  const pages: ImportPages = {
    resource,
    what: resource,
    many: resource,
    sheet: sheetOfRecords(kind),
    rules: `A ${record.one} that is not there is created. Of one that is there, an empty cell leaves the field as it is. Each row is a change of its own.`,
    example: exampleOf(example),
  }
  const routes = newPages(pages)

  routes.post('/', async (c) => {
    const { text, sheet } = await sheetIn(c, pages)
    const plan = await planRecords(c.get('db'), kind, sheet)
    const fields = fieldsOfImport(newImport(c.get('exchange').request_id, plan.rows))
    return await showPlan(c, pages, { plan, text, fields })
  })

  routes.post('/run/', async (c) => {
    // Throws if the form has no run. Then the error has its own page.
    const form = await formOf(c, RECORDS_IMPORT, async (sent, { message }) =>
      showImported(c, pages, { run: importOfForm(sent), stopped: message }),
    )
    const run = await inTurn(c, form, () => importOfForm(form))
    // So that its page leads to the whole import.
    c.get('exchange').record_id = run.check
    return showImported(c, pages, await importNext(c, kind, run))
  })

  return routes
}

const STOCK: ImportPages = {
  resource: 'inventory',
  what: 'stock',
  many: 'records of stock',
  sheet: STOCK_SHEET,
  rules:
    'Each row says how many there are of a product at a location. Stock that the table does not name stays as it is. The table is one upload, which one “Undo” takes back.',
  example: 'location_code;sku_code;quantity\nA-01;TEA-1;40',
}

/** The pages that import a table of stock, all rows as one upload. */
export const importStockPages = newPages(STOCK)

importStockPages.post('/', async (c) => {
  const { text, sheet } = await sheetIn(c, STOCK)
  const plan = await planStock(c.get('db'), sheet)
  const fields = { rows: carriedText(plan.rows) }
  return await showPlan(c, STOCK, { plan, text, fields })
})

importStockPages.post('/run/', async (c) => {
  const form = await formOf(c, STOCK_IMPORT, (_, error) => showImportForm(c, STOCK, { error }))
  const rows = await inTurn(c, form, () => carriedRows(form, CarriedStock, STOCK_MAX))
  return showStockResult(c, await importStock(c, rows))
})

function newPages(pages: ImportPages): Hono<AppEnv> {
  const { resource } = pages
  const routes = new Hono<AppEnv>()
  routes.use(
    asClient,
    requireScope(`integrations.${resource}.read`),
    requireScope(`integrations.${resource}.write`),
    namedByItself,
  )
  routes.get('/', (c) => showImportForm(c, pages))
  return routes
}

/** The table of a submitted form. 400 VALIDATION_ERROR shows the form with what is wrong with the table. */
async function sheetIn(c: Context<AppEnv>, pages: ImportPages) {
  // A form that is too large is never read.
  c.set('showForm', (error) => showImportForm(c, pages, { error }))
  const form = await formOf(c, FILE, (sent, error) =>
    showImportForm(c, pages, { text: sent.raw('document'), error }),
  )
  const text = form.raw('document')
  const { pace } = c.get('db')
  return { text, sheet: await pace.inTurn(text.length * 2, () => readSheet(text, pages.sheet)) }
}

// To parse and check a character of the rows takes some steps.
const ROWS_STEPS = 4

/** Reads the rows of a form in turn with the long work of others. */
async function inTurn<Result>(c: Context<AppEnv>, form: Form, read: () => Result) {
  return await c.get('db').pace.inTurn(form.raw('rows').length * ROWS_STEPS, read)
}

/** A table with one row. */
function exampleOf(example: object): string {
  return `${Object.keys(example).join(';')}\n${Object.values(example).join(';')}`
}
