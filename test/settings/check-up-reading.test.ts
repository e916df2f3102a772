import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type DocumentName, storeDocument } from '../../src/engine/log/documents/store.ts'
import { KeptDocuments } from '../../src/requests/check-up/kept-documents.ts'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { speedUpTime } from '../fixtures/clock.ts'
import { pace } from '../fixtures/pace.ts'

const partner_id = crypto.randomUUID()
const names: DocumentName[] = Array.from({ length: 12 }, () => ({
  tenant: 'demo',
  created_at: new Date().toISOString(),
  partner_id,
  request_id: crypto.randomUUID(),
}))

beforeAll(async () => {
  for (const [n, name] of names.entries()) {
    const document = {
      body: `${n}`,
      encoding: 'utf-8' as const,
      answer: { status: 200, body: null },
    }
    await storeDocument(env.DOCUMENTS, name, {
      content_type: null,
      redacted: [],
      until: 0,
      ...document,
    })
  }
})

const ROOM = { take: () => true, leave: () => {} }

function reader(get: Watch = (call) => call(), memory = ROOM): KeptDocuments {
  const bucket = intercept(env.DOCUMENTS, { get }) as R2Bucket
  return new KeptDocuments({ bucket, tenant: 'demo', memory, pace }, partner_id)
}

/** What it reads, whether it has had all, and whether it misses anything. */
async function outcomeOf(documents: KeptDocuments, asked = names) {
  const read = new Map<number, string>()
  const isWhole = await documents.each(asked, async ({ body }, index) => {
    await scheduler.wait(1)
    read.set(index, body)
  })
  return { read, isWhole, isComplete: documents.isComplete }
}

describe('KeptDocuments', () => {
  it('reads all documents, one at a time in memory, and asks R2 for four at a time', async () => {
    const counts = { asked: 0, askedMax: 0, inMemory: 0, inMemoryMax: 0 }
    const get: Watch = async (call) => {
      counts.askedMax = Math.max(counts.askedMax, ++counts.asked)
      const object = await call()
      await scheduler.wait(5)
      counts.asked -= 1
      return object
    }
    const take = () => {
      counts.inMemoryMax = Math.max(counts.inMemoryMax, ++counts.inMemory)
      return true
    }
    const leave = () => {
      counts.inMemory -= 1
    }
    const { read, ...ended } = await outcomeOf(reader(get, { take, leave }))
    expect(ended).toEqual({ isWhole: true, isComplete: true })
    expect([...read].sort(([one], [other]) => one - other)).toEqual(
      names.map((_, n) => [n, `${n}`]),
    )
    expect(counts).toEqual({ asked: 0, askedMax: 4, inMemory: 0, inMemoryMax: 1 })
  })

  it('leaves out documents that are not there', async () => {
    const gone = { ...(names[0] as DocumentName), request_id: crypto.randomUUID() }
    const { read, ...ended } = await outcomeOf(reader(), [gone, ...names])
    expect([read.size, read.has(0), ended]).toEqual([
      12,
      false,
      { isWhole: true, isComplete: true },
    ])
  })

  it('passes over a document that has no room in memory, and says so', async () => {
    let taken = 0
    const memory = { ...ROOM, take: () => ++taken !== 3 }
    const { read, ...ended } = await outcomeOf(reader(undefined, memory))
    expect([read.size, ended]).toEqual([11, { isWhole: true, isComplete: false }])
  })

  it('ends as soon as R2 fails, and asks for nothing any more', async () => {
    let asked = 0
    const get: Watch = (call) => {
      asked += 1
      return asked === 6 ? Promise.reject(new Error('secret')) : call()
    }
    const documents = reader(get)
    const { read, ...ended } = await outcomeOf(documents)
    expect(ended).toEqual({ isWhole: false, isComplete: false })
    expect(read.size).toBeLessThan(12)
    const before = asked
    expect((await outcomeOf(documents)).read.size).toBe(0)
    expect(asked).toBe(before)
  })

  it.each<[string, Watch]>([
    ['an answer', () => new Promise(() => {})],
    [
      'the end of a document',
      async (call) => {
        const object = (await call()) as R2ObjectBody
        const body = new TransformStream().readable
        return { customMetadata: object.customMetadata, body }
      },
    ],
  ])('does not wait for %s longer than five seconds', async (_, get) => {
    const slowDown = speedUpTime()
    const started = Date.now()
    const { read, ...ended } = await outcomeOf(reader(get))
    slowDown()
    expect([read.size, ended]).toEqual([0, { isWhole: false, isComplete: false }])
    // 25 ms for each of the four that were asked for.
    expect(Date.now() - started).toBeLessThan(10_000)
  })

  it('throws what is no fault of R2', async () => {
    const fault = () => {
      throw new TypeError('ours')
    }
    await expect(reader().each(names, fault)).rejects.toThrow('ours')
  })
})
