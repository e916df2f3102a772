import { isDeepStrictEqual } from 'node:util'
import type { Journal, State, Thing } from './journal.ts'
import { API, SETTINGS } from './load/writes.ts'
import type { Access } from './server.ts'
import type { StockRow } from './snapshot.ts'
import { stateOf } from './verify.ts'

const AT_ONCE = 6

/**
 * Compares a restarted server's answers with the journal, which must have no open doubts: every record that the
 * last round wrote, and the audit rows since the round began. Returns the problems, in words.
 */
export async function verifyOverApi(
  access: Access,
  journal: Journal,
  since: string,
  life: AbortSignal,
): Promise<string[]> {
  try {
    return await compare(access, journal, since, life)
  } catch (error) {
    life.throwIfAborted()
    return [`Over the API: ${error instanceof Error ? error.message : error}`]
  }
}

async function compare(
  access: Access,
  journal: Journal,
  since: string,
  life: AbortSignal,
): Promise<string[]> {
  const get = remembering((path) => getData(access, path, life))
  const writes = journal.writes.filter(({ round }) => round === journal.round)
  const waiting = [...new Set(writes.map(({ thing }) => thing))]
  const problems: string[] = []
  const asking = Array.from({ length: AT_ONCE }, async () => {
    for (let thing = waiting.pop(); thing; thing = waiting.pop()) {
      const shown = await shownState(get, thing)
      if (shown !== undefined && !isDeepStrictEqual(shown, thing.state)) {
        const should = `must be ${JSON.stringify(thing.state)}, is ${JSON.stringify(shown)}`
        problems.push(`${thing.kind} ${thing.key}, over the API: ${should}`)
      }
    }
  })
  const [logged] = await Promise.all([requestIdsSince(access, since, life), ...asking])
  const lost = writes.filter(({ landed, requestId }) => landed && !logged.has(requestId ?? ''))
  return [
    ...problems,
    ...lost.map(
      ({ method, path, requestId }) =>
        `${method} ${path}, request ${requestId}: not in the audit log over the API`,
    ),
  ]
}

type Get = (path: string) => Promise<unknown>

/** Requests each path only once: many ranges of stock share their locations. */
function remembering(get: Get): Get {
  const answers = new Map<string, Promise<unknown>>()
  return (path) => {
    const answer = answers.get(path) ?? get(path)
    answers.set(path, answer)
    return answer
  }
}

/** The thing's state over the API; null if it is not found, undefined if its id is unknown. */
async function shownState(get: Get, thing: Thing): Promise<State | null | undefined> {
  const { kind, key, id, state } = thing
  if (kind === 'stock') return await shownStock(get, thing)
  const isNamedById = kind === 'partner' || kind === 'api_key'
  if (isNamedById && id === null) return undefined
  const path = {
    order: `${API}/orders/${key}/`,
    product: `${API}/products/${key}/`,
    location: `${API}/locations/${key}/`,
    partner: `${SETTINGS}/partners/${id}/`,
    api_key: `${SETTINGS}/api-keys/${id}/`,
  }[kind]
  const data = (await get(path)) as (State & { items?: ShownItem[] }) | null
  if (data === null) return null
  const items = data.items?.map(({ sku, quantity }) => `${sku.sku} ${quantity}`)
  const shown = { ...data, ...(items && { items }) } as State
  // Compares only the fields that the journal knows.
  return Object.fromEntries(Object.keys(state ?? shown).map((name) => [name, shown[name]]))
}

interface ShownItem {
  sku: { sku: string }
  quantity: number
}

async function shownStock(get: Get, { pairs }: Thing): Promise<State | null> {
  const rows: StockRow[] = []
  const skus = new Set(pairs?.skus)
  for (const location of pairs?.locations ?? []) {
    const stock = ((await get(`${API}/inventory/${location}/`)) ?? []) as StockRow[]
    rows.push(...stock.filter(({ sku_code }) => skus.has(sku_code)))
  }
  return stateOf(rows)
}

async function requestIdsSince(access: Access, since: string, life: AbortSignal) {
  const ids = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = `from=${since}&limit=200${cursor && `&cursor=${cursor}`}`
    const page: Answer = await getAnswer(access, `${SETTINGS}/audit-log/?${query}`, life)
    for (const { request_id } of page.data as { request_id: string }[]) ids.add(request_id)
    cursor = page.pagination?.next_cursor ?? null
  }
  return ids
}

interface Answer {
  data: unknown
  pagination?: { next_cursor: string | null }
}

/** Null if there is no such record. */
async function getData(access: Access, path: string, life: AbortSignal): Promise<unknown> {
  return (await getAnswer(access, path, life)).data ?? null
}

async function getAnswer(access: Access, path: string, life: AbortSignal): Promise<Answer> {
  const key = path.startsWith(SETTINGS) ? access.settingsKey : access.key
  const headers = { 'X-API-Key': key }
  const response = await fetch(`${access.origin}/api/${path}`, { headers, signal: life })
  const answer = (await response.json()) as Answer
  if (!response.ok && response.status !== 404) {
    throw new Error(`GET ${path} was answered ${response.status}: ${JSON.stringify(answer)}`)
  }
  return answer
}
