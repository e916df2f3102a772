import type { Benchmark, Figure } from './figure.ts'
import { median, ratios, summary } from './rounds.ts'
import { type Server, startCrossdock } from './server.ts'
import { openSqlite } from './sqlite.ts'
import {
  type Body,
  CONVERTING_MAPPING,
  largestBody,
  MAPPING,
  UPLOADED_PRODUCTS,
  uploadBody,
} from './upload-body.ts'
import { fillLocations, fillProducts } from './warehouse.ts'

export const upload: Benchmark = {
  names: ['upload_vs_sqlite', 'upload_rows_per_second'],
  summary: 'time of an inventory upload of 10 MB, relative to the same upsert in SQLite alone',
  async run({ quick, say }) {
    const server = await startCrossdock()
    const sqlite = openSqlite(UPLOADED_PRODUCTS)
    try {
      await fillProducts(server.db, UPLOADED_PRODUCTS)
      await fillLocations(server.db)
      const partner = await createPartner(server)
      const converting = await createPartner(server, CONVERTING_MAPPING)
      const [plain, mapped] = [largestBody('pass_through'), largestBody('mapped')]
      const converted = largestBody('converted')
      const unmapped = uploadBody('pass_through', mapped.rows)
      const unconverted = uploadBody('pass_through', converted.rows)
      const changed = largestBody('pass_through', 1)
      const slightlyChanged = uploadBody('pass_through', plain.rows, 1, 100)
      const rounds = quick ? 1 : 7
      const contenders = [
        { of: 'pass_through', body: plain, same: plain, headers: server.headers },
        { of: 'mapped', body: mapped, same: unmapped, headers: partner },
        {
          of: 'converted',
          body: converted,
          same: unconverted,
          headers: converting,
          below: 1.7,
        },
        {
          of: 'known_pairs',
          before: plain,
          body: changed,
          same: changed,
          headers: server.headers,
        },
        {
          of: 'one_percent_changed',
          before: plain,
          body: slightlyChanged,
          same: slightlyChanged,
          headers: server.headers,
        },
      ]
      const figures: Figure[] = []
      for (const contender of quick ? contenders.slice(0, 3) : contenders) {
        say(contender.of)
        figures.push(...(await compare({ server, sqlite }, contender, rounds)))
      }
      return figures
    } finally {
      sqlite.close()
      await server.close()
    }
  },
}

interface Contender {
  of: string
  /** An upload that is stored before. */
  before?: Body
  body: Body
  /** The same rows in our schema, for SQLite. */
  same: Body
  headers: Record<string, string>
  /** The bound of the ratio. */
  below?: number
}

async function compare(
  { server, sqlite }: { server: Server; sqlite: ReturnType<typeof openSqlite> },
  { of, before, body, same, headers, below = 1.5 }: Contender,
  rounds: number,
): Promise<Figure[]> {
  const seconds: number[] = []
  const ours = async () => {
    await server.db.prepare('delete from inventory').run()
    if (before) await send(server, server.headers, before)
    const taken = await send(server, headers, body)
    seconds.push(taken)
    return taken
  }
  const theirs = () => {
    sqlite.empty()
    if (before) sqlite.upsert(before.text)
    return sqlite.upsert(same.text)
  }
  await ours()
  theirs()
  seconds.length = 0
  const against = summary(await ratios(rounds, ours, theirs))
  const rate = Math.round(body.rows / median(seconds))
  return [
    {
      name: 'upload_vs_sqlite',
      of,
      ...against,
      unit: 'x',
      ...(!before && { bound: { below } }),
    },
    { name: 'upload_rows_per_second', of, value: rate, unit: 'rows/s' },
  ]
}

/** Returns the seconds from the request to the end of its answer. Throws unless every row was stored. */
export async function send(
  { origin }: Pick<Server, 'origin'>,
  headers: Record<string, string>,
  { text, rows }: Body,
): Promise<number> {
  const url = `${origin}/api/integrations/v1/inventory/`
  const body = Buffer.from(text)
  const started = performance.now()
  const response = await fetch(url, { method: 'POST', headers, body })
  const answer = (await response.json()) as { data?: { created: number; updated: number } }
  const seconds = (performance.now() - started) / 1000
  const { created = 0, updated = 0 } = answer.data ?? {}
  if (created + updated !== rows) {
    throw new Error(`${rows} rows: ${response.status} ${JSON.stringify(answer).slice(0, 500)}`)
  }
  return seconds
}

/** Creates a partner with a mapping for stock. Returns headers with its key. */
export async function createPartner(
  server: Server,
  mapping: object = MAPPING,
): Promise<Record<string, string>> {
  const settings = async (method: string, path: string, body: object) => {
    const url = `${server.origin}/api/settings/v1${path}`
    const init = { method, headers: server.headers, body: JSON.stringify(body) }
    const response = await fetch(url, init)
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return ((await response.json()) as { data: { id: string; key: string } }).data
  }
  const { id } = await settings('POST', '/partners/', { name: crypto.randomUUID() })
  await settings('PUT', `/partners/${id}/mappings/inventory/`, mapping)
  const key = { name: 'ERP', partner_id: id, scopes: ['integrations.*'] }
  const { key: value } = await settings('POST', '/api-keys/', key)
  return { ...server.headers, 'X-API-Key': value }
}
