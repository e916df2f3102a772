import { afterEach, describe, expect, it, vi } from 'vitest'
import { itInDeep, sample } from '../fixtures/depth.ts'
import { type Api, openAdmin } from '../fixtures/tenant.ts'
import { createLocation, createProduct } from '../fixtures/warehouse.ts'
import { heldDatabase, openKey, statusesOf } from './occupied.ts'

const PLACES = 50
const ASIDE_MAX = 100

afterEach(() => {
  vi.useRealTimers()
})

/** Uploads of which a byte has come, and no more until they are told. */
function upload(api: Api, count: number, { padding = 0, isChunked = false, bindings = {} } = {}) {
  const { promise, resolve: goOn } = Promise.withResolvers<void>()
  const bytes = new TextEncoder().encode(text.padEnd(text.length + padding))
  const headers = isChunked ? {} : { 'Content-Length': String(bytes.length) }
  const first = padding + 1
  const answers = Array.from({ length: count }, () => {
    const body = new ReadableStream({
      type: 'bytes',
      async start(controller) {
        controller.enqueue(bytes.slice(0, first))
        await promise
        controller.enqueue(bytes.slice(first))
        controller.close()
      },
    })
    return api.post('/inventory/', body, { headers, ...('DB_DEMO' in bindings && { bindings }) })
  })
  return { answers, goOn }
}

/** Lets so many milliseconds pass for the timers that are set meanwhile and before. */
async function pass(ms: number) {
  vi.advanceTimersByTime(ms)
  await scheduler.wait(60)
}

function watch(answer: Promise<{ status: number }>) {
  const state = { status: 0 }
  void answer.then(({ status }) => {
    state.status = status
  })
  return state
}

const admin = await openAdmin()
const [{ code }, { sku }] = [await createLocation(admin), await createProduct(admin)]
const text = JSON.stringify({ inventory: [{ location_code: code, sku_code: sku, quantity: 1 }] })

describe('a key with 50 requests whose bodies arrive slowly', () => {
  const fake = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

  const lengths: [string, { isChunked?: boolean }][] = [
    ['with Content-Length', {}],
    ['chunked', { isChunked: true }],
  ]
  it.each(sample(lengths, 1))(
    'has its places for others after 10 seconds: %s',
    async (_, options) => {
      const api = await openKey()
      fake()
      const { answers, goOn } = upload(api, PLACES, options)
      await scheduler.wait(60)
      const next = watch(api.get('/orders/'))
      await pass(9900)
      expect(next.status).toBe(0)
      await pass(100)
      // The pause before a request that has waited goes on.
      await pass(100)
      vi.useRealTimers()
      await expect.poll(() => next.status).toBe(200)
      goOn()
      expect(new Set(await statusesOf(answers))).toEqual(new Set([200]))
    },
  )

  itInDeep('works on them in its places when they have arrived, as on others', async () => {
    const api = await openKey()
    const { state, letGo, bindings } = heldDatabase()
    fake()
    const slow = upload(api, PLACES, { bindings })
    await scheduler.wait(60)
    await pass(10_000)
    vi.useRealTimers()
    const others = Array.from({ length: PLACES }, () => api.get('/orders/', { bindings }))
    await expect.poll(() => state.inside).toBe(PLACES)
    slow.goOn()
    await scheduler.wait(100)
    expect(state.most).toBe(PLACES)
    letGo()
    expect(new Set(await statusesOf([...others, ...slow.answers]))).toEqual(new Set([200]))
    expect(state.most).toBe(PLACES)
  })

  itInDeep(
    'gives up the slowest when 100 others are out of their places and another one waits',
    async () => {
      const api = await openKey()
      fake()
      const { answers, goOn } = upload(api, ASIDE_MAX + PLACES)
      await scheduler.wait(60)
      for (let n = 0; n < 3; n++) {
        await pass(10_000)
        await pass(100)
      }
      vi.useRealTimers()
      const next = await api.get('/orders/')
      expect(next.status).toBe(200)
      const { status, body } = await Promise.race(answers)
      expect([status, body.error.reason]).toEqual([408, 'BODY_TOO_SLOW'])
      goOn()
      const statuses = await statusesOf(answers)
      expect(statuses.filter((one) => one === 408)).toHaveLength(1)
      expect(statuses.filter((one) => one === 200)).toHaveLength(ASIDE_MAX + PLACES - 1)
    },
  )
})

describe('bodies of unknown length that turn out to be large', () => {
  it('wait for memory without a place, and are all answered', async () => {
    const [api, other] = [await openKey(), await openKey()]
    const { answers, goOn } = upload(api, 5, { padding: 200_000, isChunked: true })
    await scheduler.wait(60)
    // Two have memory. Three wait for it.
    expect((await other.get('/orders/')).status).toBe(200)
    goOn()
    expect(new Set(await statusesOf(answers))).toEqual(new Set([200]))
  })
})
