import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isUpload, openSync, type Row } from './syncing.ts'

// What goes wrong for those who run the example with files and networks as they are.

const row = (sku_code: string, quantity: number, location_code = 'A'): Row => ({
  location_code,
  sku_code,
  quantity,
})

let client: Awaited<ReturnType<typeof openSync>>
let quantity = 0

beforeAll(async () => {
  client = await openSync(['A'], ['S', 'T'])
}, 60_000)
afterAll(() => client.close())
beforeEach(() => {
  quantity += 10
})

async function quantityOf(sku_code: string) {
  const stored = await client.stored()
  return stored.find((one) => one.sku_code === sku_code)?.quantity
}

async function beginsAnew(spoil: (copy: string) => string) {
  await client.sync([row('S', quantity)])
  await client.write('stock.json.copy', spoil(await client.read('stock.json.copy')))
  expect(await client.sync([row('S', quantity + 1)])).toMatchObject({ code: 0, stderr: '' })
  expect(await quantityOf('S')).toBe(quantity + 1)
}

describe('examples/client/stock-sync.ts', () => {
  it('refuses a file that names a pair twice, and uploads nothing', async () => {
    const before = await client.stored()
    const told = await client.sync([row('S', quantity), row('S', quantity + 1)])
    expect(told).toMatchObject({ code: 1, stdout: '' })
    expect(told.stderr).toBe('stock.json: ["A","S"] is there twice.\n')
    expect(await client.stored()).toEqual(before)
  })

  it('uploads good rows behind many that are refused, names those, and ends with 1', async () => {
    const unknown = Array.from({ length: 1005 }, (_, n) => row(`none-${n}`, 1))
    const told = await client.sync([...unknown, row('S', quantity)])
    expect(told.code).toBe(1)
    expect(told.stderr).toContain('Refused: ["A","none-0"] {"sku_code":[')
    expect(told.stderr).toContain('Refused: 995 more rows.\n')
    expect(await quantityOf('S')).toBe(quantity)
    // Each refused row is sent once.
    expect(told.stdout).toContain('failed: 1005 }\n')
    expect(told.stdout.match(/^Are/gm)).toHaveLength(1)
  }, 60_000)

  it('begins anew with a copy that is cut off', () => beginsAnew((copy) => copy.slice(0, -9)))

  it('ends with 1 in a rehearsal, too, if a row would be refused, and has changed nothing', async () => {
    await client.set(row('S', 0), 3)
    const told = await client.sync([row('none', 1), row('S', quantity)], ['--rehearse'])
    expect([told.code, await quantityOf('S')]).toEqual([1, 3])
    expect(told.stdout).toContain('Would be { created: 0, updated: 1, failed: 1 }')
  })

  it('ends with 1 if pairs still differ', async () => {
    let others = 1000
    const front = await client.inFront(async (request) => {
      if (isUpload(request)) await client.set(row('S', 0), others++)
      return undefined
    })
    const told = await client.sync([row('S', quantity)], [], front.origin)
    front.close()
    expect([told.code, await quantityOf('S')]).toEqual([1, 1004])
    expect(told.stderr).toContain('run this again')
  })

  it('takes a file with a byte order mark', async () => {
    await client.write('stock.json', `\uFEFF${JSON.stringify([row('T', quantity)])}`)
    expect(await client.syncFile()).toMatchObject({ code: 0, stderr: '' })
    expect(await quantityOf('T')).toBe(quantity)
  })

  it('compiles', async () => {
    const strict = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes']
    const target = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--noEmit']
    const files = ['--allowImportingTsExtensions', 'stock-sync.ts']
    const told = await client.bin('tsc', ...strict, ...target, ...files).catch((error) => error)
    expect(told.stdout).toBe('')
  })

  it.each([
    ['is empty', () => ''],
    ['is of another warehouse', (copy: string) => copy.replace(/"cursor":"[^"]*/, '$&x')],
  ])('begins anew with a copy that %s', (_, spoil) => beginsAnew(spoil))

  it.each([
    ['no JSON', 'stock', 'stock.json: Unexpected token'],
    ['no array', '{}', 'stock.json: It must be an array of rows.'],
    ['a row without a pair', '[{"sku": 1}]', 'stock.json: This row needs location_code and'],
    ['null', '[null]', 'stock.json: This row needs location_code and'],
  ])('says in a line what is wrong with a file: %s', async (_, text, message) => {
    await client.write('stock.json', text)
    const { code, stderr } = await client.syncFile()
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  it('refuses an option that it does not know, rather than upload', async () => {
    await client.set(row('S', 0), 3)
    const told = await client.sync([row('S', quantity)], ['--rehearsal'])
    expect([told.code, await quantityOf('S')]).toEqual([1, 3])
    expect(told.stderr).toContain('--rehearsal')
  })

  it('sends a request again if the service does not answer it, and counts nothing twice', async () => {
    let uploads = 0
    const front = await client.inFront(async (request, body) => {
      if (!isUpload(request) || uploads++ > 0) return undefined
      // It is applied, and its answer is lost.
      const [{ sku_code, quantity }] = JSON.parse(body).inventory
      await client.set(row(sku_code, 0), quantity)
      return new Response('{}', { status: 503 })
    })
    const told = await client.sync([row('S', quantity + 5)], [], front.origin)
    front.close()
    expect([told.code, uploads, await quantityOf('S')]).toEqual([0, 2, quantity + 5])
  })
})
