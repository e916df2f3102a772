import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'
import { WORKERD } from '../fixtures/workerd.ts'

// workerd gives a Worker the chunked body of a GET. The proxy of `wrangler dev`, which the served tests go through,
// leaves it out, and no Request can be made with it: so this is workerd alone.

const run = promisify(execFile)

let folder: string
let workerd: ChildProcess
let port: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chunked-'))
  const outfile = join(folder, 'worker.js')
  // By its command: the module starts a service in the folder in which the first test that used it ran.
  const options = [
    '--bundle',
    '--format=esm',
    `--outfile=${outfile}`,
    '--external:node:*',
    '--log-level=error',
  ]
  await run('node_modules/.bin/esbuild', ['test/deployment/unused-body-worker.ts', ...options])
  const { compatibility_date } = readConfig({ config: 'wrangler.toml' }, { hideWarnings: true })
  const file = join(folder, 'config.capnp')
  await writeFile(
    file,
    `using Workerd = import "/workerd/workerd.capnp";
     const config :Workerd.Config = (
       services = [(name = "main", worker = (
         modules = [(name = "worker", esModule = embed "worker.js")],
         compatibilityDate = "${compatibility_date}"))],
       sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]);`,
  )
  const stdio = ['ignore', 'ignore', 'inherit', 'pipe'] as const
  workerd = spawn(WORKERD, ['serve', '--control-fd=3', file], {
    stdio: [...stdio],
  })
  const [event] = await once(workerd.stdio[3] as NodeJS.ReadableStream, 'data')
  port = JSON.parse(String(event)).port
})

afterAll(async () => {
  workerd.kill()
  await once(workerd, 'exit')
  await rm(folder, { recursive: true })
})

it.each<[string, object, string | undefined, string[]]>([
  ['a chunked body', { 'Transfer-Encoding': 'chunked' }, '{"status":"pending"}', ['body']],
  ['a chunked body that is empty', { 'Transfer-Encoding': 'chunked' }, undefined, ['body']],
  ['a body with its length', { 'Content-Length': '2' }, '{}', ['body']],
  ['an empty body', { 'Content-Length': '0' }, undefined, []],
  ['no body', {}, undefined, []],
])('GET with %s', async (_, headers, body, warned) => {
  const sent = request({ port, host: '127.0.0.1', method: 'GET', headers: { ...headers } })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  expect(await json(answer)).toEqual(warned)
})
