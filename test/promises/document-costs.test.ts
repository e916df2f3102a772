import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import costs from '../../docs/costs.md?raw'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { badOrder, idOf, keep, openKept, SETTINGS } from '../fixtures/kept-documents.ts'
import { numberIn, type Row, sectionOf, tablesOf } from '../fixtures/markdown.ts'
import { countedBindings } from '../fixtures/metering.ts'
import { type Api, type Json, unique } from '../fixtures/tenant.ts'

// docs/costs.md: what R2 and D1 count for documents that are kept, and that nothing
// is counted for requests without them.

const DOCUMENTED = tablesOf(sectionOf(costs, 'What it costs')).find((table) =>
  table.has('Storing a document'),
)
const ALL = { of: 'all', days: 7 }

/** Calls of R2 by class, and what D1 counts. */
interface Cost {
  class_a: number
  class_b: number
  d1_calls: number
  rows_written: number
}

type Request = [api: Api, method: string, path: string, body?: Json]

async function costOf([api, method, path, body]: Request): Promise<Cost> {
  const { bindings, calls, rows } = countedBindings()
  const cost = { class_a: 0, class_b: 0 }
  const counted =
    (name: keyof typeof cost): Watch =>
    (call) => {
      cost[name] += 1
      return call()
    }
  const [a, b] = [counted('class_a'), counted('class_b')]
  const DOCUMENTS = intercept(env.DOCUMENTS, { put: a, list: a, get: b, head: b })
  const answer = await api.call(method, path, body, { bindings: { ...bindings, DOCUMENTS } })
  expect(answer.status).toBeLessThan(500)
  return { ...cost, d1_calls: calls.d1, rows_written: rows.written }
}

/** What keeping the document adds to a request that is otherwise the same. */
async function addedBy(policy: object | null, requestOf: (api: Api) => Request): Promise<Cost> {
  const { api, admin, id } = await openKept(null)
  await api.get('/orders/')
  const without = await costOf(requestOf(api))
  await keep(admin, id, policy)
  await api.get('/orders/')
  const cost = await costOf(requestOf(api))
  const entries = Object.entries(cost).map(([name, count]) => [
    name,
    count - without[name as keyof Cost],
  ])
  return Object.fromEntries(entries)
}

function documented(name: string): Cost {
  const row: Row = DOCUMENTED?.get(name) ?? {}
  return {
    class_a: numberIn(row['R2 class A']),
    class_b: numberIn(row['R2 class B']),
    d1_calls: numberIn(row['D1 calls']),
    rows_written: numberIn(row['Rows written']),
  }
}

const newProduct = (api: Api): Request => [api, 'POST', '/products/', { sku: unique('S') }]
const refused = (api: Api): Request => [api, 'POST', '/orders/', badOrder()]
const NOTHING = { class_a: 0, class_b: 0, d1_calls: 0, rows_written: 0 }

describe('keeping documents', () => {
  it('costs what the page says, of a success and of a refusal', async () => {
    const stored = documented('Storing a document')
    expect(stored).toEqual({ ...NOTHING, class_a: 1 })
    expect(await addedBy(ALL, newProduct)).toEqual(stored)
    expect(await addedBy(ALL, refused)).toEqual(stored)
  })

  it('costs nothing for requests whose documents are not kept', async () => {
    expect(await addedBy({ of: 'errors', days: 7 }, newProduct)).toEqual(NOTHING)
    expect(await addedBy(ALL, (api) => [api, 'GET', '/orders/'])).toEqual(NOTHING)
    const { api } = await openKept(null)
    await api.get('/orders/')
    expect(await costOf(refused(api))).toMatchObject({ class_a: 0, class_b: 0 })
  })

  it('costs what the page says to read and to delete them', async () => {
    const { api, admin } = await openKept(ALL)
    await admin.get('/orders/')
    const path = `${SETTINGS}/audit-log/${idOf(await api.post('/orders/', badOrder()))}/document/`
    expect(await costOf([admin, 'GET', path])).toEqual(documented('Reading a document'))
    expect(await costOf([admin, 'DELETE', path])).toEqual(documented('Deleting a document'))
  })
})
