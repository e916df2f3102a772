import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import createClient from 'openapi-fetch'
import type { paths } from './crossdock.d.ts'

// Brings the stock of a file, [{"location_code", "sku_code", "quantity"}, ...], to Crossdock:
//
//   KEY=xd_... node stock-sync.ts stock.json [--rehearse]
//
// It follows the feed of changes into stock.json.copy, so it knows what Crossdock has, and uploads the differences. Each
// row has the condition that Crossdock still has what we know. So nobody's change is overwritten unseen: such a row
// fails, and is compared again. With --rehearse it only says what would change.
//
// The exit code is 0 if Crossdock has what the file says. It is 1 if rows are refused, or pairs still differ. The key
// must not have an outbound mapping of inventory: the feed would have other names.

/** An answer to an upload lists so many failed rows. */
const PART_ROWS = 1000
const ROUNDS_MAX = 5
const ATTEMPTS_MAX = 5
const ANSWER_MS_MAX = 120_000
const SEND_AGAIN = [408, 429, 500, 502, 503, 504]

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
  fetch: patiently,
})
const nameOf = (row: Omit<Row, 'quantity'>) => JSON.stringify([row.location_code, row.sku_code])

/** Sends the same request again if that may help. That is safe: no quantity is counted twice. */
async function patiently(request: Request): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX)
    const answer = await fetch(request.clone(), { signal }).catch((error: Error) => error)
    const isAnswer = answer instanceof Response
    if (isAnswer && (!SEND_AGAIN.includes(answer.status) || attempt === ATTEMPTS_MAX)) return answer
    if (!isAnswer && attempt === ATTEMPTS_MAX) {
      throw new Error(`${request.url} does not answer: ${answer.cause ?? answer.message}`)
    }
    // At least as long as the answer asks for; otherwise longer each time, and not all clients at the same moment.
    const asked = isAnswer ? Number(answer.headers.get('Retry-After')) * 1000 : 0
    if (isAnswer) await answer.body?.cancel()
    await sleep(Math.max(asked, 500 * 2 ** attempt * Math.random()))
  }
}

function fail(error: { error: { code: string; message: string } } | undefined): never {
  throw new Error(error ? `${error.error.code}: ${error.error.message}` : 'The answer is empty.')
}

async function readRows(file: string): Promise<Row[]> {
  const text = await readFile(file, 'utf8')
  // Some systems put a byte order mark first.
  const rows: Row[] = JSON.parse(text.replace(/^\uFEFF/, ''))
  if (!Array.isArray(rows)) throw new Error('It must be an array of rows.')
  const names = new Set<string>()
  for (const row of rows) {
    if (typeof row?.location_code !== 'string' || typeof row.sku_code !== 'string') {
      throw new Error(`This row needs location_code and sku_code: ${JSON.stringify(row)}`)
    }
    // Which of the two counts? Only who has made the file can say.
    if (names.has(nameOf(row))) throw new Error(`${nameOf(row)} is there twice.`)
    names.add(nameOf(row))
  }
  return rows
}

/** What an earlier run knew. Without a whole copy, the feed tells everything from the start. */
async function readCopy(file: string): Promise<Copy> {
  try {
    const { cursor, stock } = JSON.parse(await readFile(file, 'utf8'))
    if (typeof cursor === 'string' && typeof stock === 'object' && stock) return { cursor, stock }
  } catch {}
  return { cursor: null, stock: {} }
}

/** Replaces the file at once, so that a run that is killed here leaves no half of it. */
async function saveCopy(file: string, copy: Copy): Promise<void> {
  await writeFile(`${file}.draft`, JSON.stringify(copy))
  await rename(`${file}.draft`, file)
}

/** Brings the copy up to date. */
async function follow(copy: Copy): Promise<void> {
  for (let isBehind = true; isBehind; ) {
    const from = copy.cursor === null ? { from: 'start' as const } : { cursor: copy.cursor }
    const query = { resource: 'inventory', limit: 200, ...from }
    const { data, error } = await GET('/api/integrations/v1/changes/', { params: { query } })
    const [code, reason] = [error?.error.code, error?.error.reason]
    // The warehouse was restored, or the copy is of another one.
    if (copy.cursor && (code === 'CURSOR_EXPIRED' || reason === 'INVALID_CURSOR')) {
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

/** The rows that Crossdock does not have so, each on condition of what it has. */
function differences(rows: Row[], { stock }: Copy) {
  return rows
    .map((row) => ({ ...row, if_quantity: stock[nameOf(row)] ?? null }))
    .filter(({ quantity, if_quantity }) => quantity !== if_quantity)
}

/** Gives the rows that Crossdock refuses, whatever it has of them, with the reasons. */
async function upload(inventory: ReturnType<typeof differences>, isRehearsal: boolean) {
  const refused = new Map<string, string>()
  const total = { created: 0, updated: 0, failed: 0 }
  for (let at = 0; at < inventory.length; at += PART_ROWS) {
    const part = inventory.slice(at, at + PART_ROWS)
    const body = { source: 'erp_sync' as const, inventory: part }
    const params = { query: { dry_run: isRehearsal } }
    const { data, error } = await POST('/api/integrations/v1/inventory/', { params, body })
    if (!data) fail(error)
    total.created += data.data.created
    total.updated += data.data.updated
    total.failed += data.data.failed
    for (const { row, errors: reasons } of data.data.errors) {
      // Somebody else has changed this pair.
      if (Object.keys(reasons).join() === 'if_quantity') continue
      refused.set(nameOf(part[row] as Row), JSON.stringify(reasons))
    }
  }
  console.log(isRehearsal ? 'Would be' : 'Are', total)
  return refused
}

/** Whether Crossdock has what the file says, or, in a rehearsal, would take it. */
async function sync(file: string, isRehearsal: boolean): Promise<boolean> {
  const rows = await readRows(file).catch((error: Error) => {
    throw new Error(`${file}: ${error.message}`)
  })
  const copy = await readCopy(`${file}.copy`)
  const refused = new Map<string, string>()
  const compare = async () => {
    await follow(copy)
    await saveCopy(`${file}.copy`, copy)
    const left = differences(rows, copy)
    console.log(`${left.length} of ${rows.length} pairs differ.`)
    // To send a refused row again changes nothing.
    return left.filter((row) => !refused.has(nameOf(row)))
  }
  let left = await compare()
  for (let round = 1; left.length > 0 && round <= ROUNDS_MAX; round++) {
    for (const [name, reasons] of await upload(left, isRehearsal)) refused.set(name, reasons)
    left = isRehearsal ? [] : await compare()
  }
  for (const [name, reasons] of [...refused].slice(0, 10)) console.error('Refused:', name, reasons)
  if (refused.size > 10) console.error(`Refused: ${refused.size - 10} more rows.`)
  if (left.length > 0) console.error('Others change the same pairs all the time: run this again.')
  return refused.size === 0 && left.length === 0
}

try {
  const options = { rehearse: { type: 'boolean', default: false } } as const
  const { values, positionals } = parseArgs({ allowPositionals: true, options })
  if (!process.env.KEY) throw new Error('Put an API key into the variable KEY.')
  process.exitCode = (await sync(positionals[0] ?? 'stock.json', values.rehearse)) ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
