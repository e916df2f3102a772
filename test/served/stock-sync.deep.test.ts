import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, startServer } from './server.ts'

// The example that keeps stock in step, as a partner runs it.

const run = promisify(execFile)
const CLIENT = 'examples/client'
const API = '/api/integrations/v1'
const [LOCATIONS, PRODUCTS] = [200, 250]
const STRICT = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes']

interface Row {
  location_code: string
  sku_code: string
  quantity: number
}

let served: Served
let folder: string
let key: string
let rows: Row[]

beforeAll(async () => {
  served = await startServer()
  key = await served.createKey(['integrations.*'])
  folder = await mkdtemp(`${CLIENT}/run-`)
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}')
  await copyFile(`${CLIENT}/stock-sync.ts`, join(folder, 'stock-sync.ts'))
  const document = `${served.origin}${API}/openapi.json`
  await bin('openapi-typescript', document, '-o', 'crossdock.d.ts', '--default-non-nullable=false')
  const codes = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${prefix}-${n}`)
  const [locations, skus] = [codes('L', LOCATIONS), codes('S', PRODUCTS)]
  for (const code of locations) await post('/locations/', { code })
  for (const sku of skus) await post('/products/', { sku })
  rows = locations.flatMap((location_code, at) =>
    skus.map((sku_code, n) => ({ location_code, sku_code, quantity: at + n })),
  )
}, 300_000)
afterAll(async () => {
  await rm(folder, { recursive: true })
  await served.close()
})

const bin = (name: string, ...args: string[]) =>
  run(resolve(CLIENT, 'node_modules/.bin', name), args, { cwd: folder })

const headers = () => ({ 'X-API-Key': key, 'Content-Type': 'application/json' })

async function post(path: string, body: object) {
  const sent = { method: 'POST', headers: headers(), body: JSON.stringify(body) }
  const answer = await fetch(served.origin + API + path, sent)
  expect(answer.status).toBeLessThan(300)
  return await answer.json()
}

const set = (row: Row, quantity: number) =>
  post('/inventory/', { inventory: [{ ...row, quantity }] })

/** Runs the example, and gives what it prints. */
async function sync(option?: string, origin = served.origin): Promise<string> {
  await writeFile(join(folder, 'stock.json'), JSON.stringify(rows))
  const { stdout } = await run(
    process.execPath,
    ['stock-sync.ts', 'stock.json', ...(option ? [option] : [])],
    { cwd: folder, env: { ...process.env, KEY: key, CROSSDOCK: origin } },
  )
  return stdout
}

async function stored(): Promise<Row[]> {
  const answer = await fetch(`${served.origin}${API}/inventory/`, {
    headers: { ...headers(), Accept: 'application/x-ndjson' },
  })
  const lines = (await answer.text()).split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}

const sorted = (list: Row[]) =>
  list.map((row) => `${row.location_code} ${row.sku_code} ${row.quantity}`).toSorted()

/** In front of the service: calls `before` when the first real upload arrives, and then lets it pass. */
async function interrupted(before: () => Promise<unknown>) {
  let isFirst = true
  const server = createServer(async (request, response) => {
    const isUpload = request.method === 'POST' && request.url === `${API}/inventory/`
    const body = await textOf(request)
    if (isUpload && isFirst) await before()
    isFirst &&= !isUpload
    const sent = request.method === 'POST' ? { body } : {}
    const { method = 'GET' } = request
    const answer = await fetch(served.origin + request.url, { method, headers: headers(), ...sent })
    response.writeHead(answer.status, { 'Content-Type': 'application/json' })
    response.end(await answer.text())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

describe('examples/client/stock-sync.ts, with 50,000 pairs', () => {
  it('compiles', async () => {
    const target = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--noEmit']
    const files = ['--allowImportingTsExtensions', 'stock-sync.ts']
    const told = await bin('tsc', ...STRICT, ...target, ...files).catch((error) => error)
    expect(told.stdout).toBe('')
  })

  it('rehearses, uploads, and finds nothing more to do', async () => {
    expect(await sync('--rehearse')).toBe(
      '50000 of 50000 pairs differ.\nWould be { created: 50000, updated: 0, failed: 0 }\n',
    )
    expect(await stored()).toEqual([])
    expect(await sync()).toContain('Are { created: 50000, updated: 0, failed: 0 }\n0 of 50000')
    expect(sorted(await stored())).toEqual(sorted(rows))
    expect(await sync()).toBe('0 of 50000 pairs differ.\n')
  })

  it('overwrites no change that it has not seen', async () => {
    const [first, second] = rows as [Row, Row]
    rows = rows.map((row, at) => (at < 500 ? { ...row, quantity: row.quantity + 7 } : row))
    await set(second, 1234)
    const between = await interrupted(() => set(first, 4321))
    const told = await sync(undefined, between.origin)
    between.close()
    expect(told).toContain('500 of 50000 pairs differ.\n')
    expect(told).toContain('Are { created: 0, updated: 499, failed: 1 }\n["L-0","S-0"] ')
    expect(told).toContain('Is 4321, not 0.')
    expect(told).toContain('1 of 50000 pairs differ.\n')
    expect(sorted(await stored())).toEqual(sorted(rows))
  })
})
