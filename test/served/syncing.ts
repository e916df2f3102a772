import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { startServer } from '../fixtures/server.ts'

const run = promisify(execFile)
const CLIENT = 'examples/client'
const API = '/api/integrations/v1'

export interface Row {
  location_code: string
  sku_code: string
  quantity: number
}

export interface Synced {
  code: number
  stdout: string
  stderr: string
}

/** The example that keeps stock in step, in a folder of its own, and a server with these locations and products. */
export async function openSync(locations: string[], skus: string[]) {
  const served = await startServer()
  const key = await served.createKey(['integrations.*'])
  const folder = await mkdtemp(`${CLIENT}/run-`)
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }

  const bin = (name: string, ...args: string[]) =>
    run(resolve(CLIENT, 'node_modules/.bin', name), args, { cwd: folder })

  async function post(path: string, body: object): Promise<void> {
    const sent = { method: 'POST', headers, body: JSON.stringify(body) }
    expect((await fetch(served.origin + API + path, sent)).status).toBeLessThan(300)
  }

  /** Runs the example with the file as it is. */
  async function syncFile(args: string[] = [], origin = served.origin): Promise<Synced> {
    const env = { ...process.env, KEY: key, CROSSDOCK: origin }
    const running = run(process.execPath, ['stock-sync.ts', 'stock.json', ...args], {
      cwd: folder,
      env,
    })
    return await running.then(
      (ended) => ({ code: 0, ...ended }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    )
  }

  async function stored(): Promise<Row[]> {
    const accepting = { headers: { ...headers, Accept: 'application/x-ndjson' } }
    const answer = await fetch(`${served.origin}${API}/inventory/`, accepting)
    const lines = (await answer.text()).split('\n').filter(Boolean)
    return lines.map((line) => JSON.parse(line))
  }

  /** In front of the service: `before` may answer a request itself, or do something before it passes. */
  async function inFront(before: Before) {
    const server = createServer(async (request, response) => {
      const body = await textOf(request)
      const own = await before(request, body)
      const { method = 'GET', url } = request
      const sent = method === 'POST' ? { body } : {}
      const answer = own ?? (await fetch(served.origin + url, { method, headers, ...sent }))
      response.writeHead(answer.status, { 'Content-Type': 'application/json' })
      response.end(await answer.text())
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    return { origin: `http://127.0.0.1:${port}`, close: () => server.close() }
  }

  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}')
  await copyFile(`${CLIENT}/stock-sync.ts`, join(folder, 'stock-sync.ts'))
  await bin('openapi-typescript', `${served.origin}${API}/openapi.json`, '-o', 'crossdock.d.ts')
  for (const code of locations) await post('/locations/', { code })
  for (const sku of skus) await post('/products/', { sku })
  return {
    bin,
    syncFile,
    stored,
    inFront,
    sync: async (rows: Row[], args: string[] = [], origin?: string) => {
      await writeFile(join(folder, 'stock.json'), JSON.stringify(rows))
      return await syncFile(args, origin)
    },
    set: (row: Row, quantity: number) => post('/inventory/', { inventory: [{ ...row, quantity }] }),
    write: (name: string, text: string) => writeFile(join(folder, name), text),
    read: (name: string) => readFile(join(folder, name), 'utf8'),
    close: async () => {
      await rm(folder, { recursive: true })
      await served.close()
    },
  }
}

type Before = (request: IncomingMessage, body: string) => Promise<Response | undefined>

/** Whether it is an upload that is no rehearsal. */
export function isUpload({ method, url = '' }: IncomingMessage): boolean {
  return method === 'POST' && url.startsWith(`${API}/inventory/`) && !url.includes('dry_run=true')
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}
