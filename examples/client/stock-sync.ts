import { readFile, writeFile } from 'node:fs/promises'
import createClient from 'openapi-fetch'
import type { paths } from './crossdock.d.ts'

// Brings the stock of a file, [{"location_code", "sku_code", "quantity"}, ...], to Crossdock:
//
//   node stock-sync.ts stock.json [--rehearse]
//
// It follows the feed of changes into stock.json.copy, so it knows what Crossdock has, and uploads the differences, each
// on condition that Crossdock still has that. A pair that somebody else has changed meanwhile fails, is told, and is
// compared again with what they have made of it. With --rehearse it only says what would change.

const PAIRS_MAX = 50_000
const ROUNDS_MAX = 5

interface Row {
  location_code: string
  sku_code: string
  quantity: number
}
/** What the feed has told: the quantity of each pair, and where to go on. */
interface Copy {
  cursor: string | null
  stock: Record<string, number>
}

const { GET, POST } = createClient<paths, 'application/json'>({
  baseUrl: process.env.CROSSDOCK ?? 'http://localhost:8787',
  headers: { 'X-API-Key': process.env.KEY },
})
const nameOf = (row: Omit<Row, 'quantity'>) => JSON.stringify([row.location_code, row.sku_code])

function fail(error: { error: { code: string; message: string } } | undefined): never {
  throw new Error(`${error?.error.code}: ${error?.error.message}`)
}

/** Brings the copy up to date. */
async function follow(copy: Copy): Promise<void> {
  for (let isBehind = true; isBehind; ) {
    const from = copy.cursor === null ? { from: 'start' as const } : { cursor: copy.cursor }
    const query = { resource: 'inventory', limit: 200, ...from }
    const { data, error } = await GET('/api/integrations/v1/changes/', { params: { query } })
    if (error?.error.code === 'CURSOR_EXPIRED') {
      Object.assign(copy, { cursor: null, stock: {} })
      continue
    }
    if (!data) fail(error)
    for (const { record } of data.data as { record: Row }[]) {
      copy.stock[nameOf(record)] = record.quantity
    }
    copy.cursor = data.pagination.next_cursor
    isBehind = data.pagination.has_more
  }
}

/** The rows that Crossdock does not have so, each with what it has. */
function differences(rows: Row[], { stock }: Copy) {
  return rows
    .map((row) => ({ ...row, if_quantity: stock[nameOf(row)] ?? null }))
    .filter(({ quantity, if_quantity }) => quantity !== if_quantity)
}

async function upload(inventory: ReturnType<typeof differences>, isRehearsal: boolean) {
  const query = { dry_run: isRehearsal }
  const body = { source: 'erp_sync' as const, inventory: inventory.slice(0, PAIRS_MAX) }
  const { data, error } = await POST('/api/integrations/v1/inventory/', { params: { query }, body })
  if (!data) fail(error)
  const { created, updated, failed, errors } = data.data
  console.log(isRehearsal ? 'Would be' : 'Are', { created, updated, failed })
  for (const { row, errors: reasons } of errors.slice(0, 10)) {
    console.log(nameOf(inventory[row] as Row), JSON.stringify(reasons))
  }
  return failed
}

const [file = 'stock.json', option] = process.argv.slice(2)
const rows: Row[] = JSON.parse(await readFile(file, 'utf8'))
const empty: Copy = { cursor: null, stock: {} }
const copy: Copy = await readFile(`${file}.copy`, 'utf8').then(JSON.parse, () => empty)
for (let round = 1; round <= ROUNDS_MAX; round++) {
  await follow(copy)
  const left = differences(rows, copy)
  console.log(`${left.length} of ${rows.length} pairs differ.`)
  if (left.length === 0 || (await upload(left, true)) === left.length) break
  if (option === '--rehearse') break
  await upload(left, false)
}
await writeFile(`${file}.copy`, JSON.stringify(copy))
