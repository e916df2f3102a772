import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { Failure } from './failure.ts'
import { step } from './tenant/progress.ts'

const USAGE = `Usage: npm run smoke -- <base URL>

Tries a deployed tenant by its API: health and version, a request without a key, and an order that is made, read and
cancelled. Leaves a cancelled order and an inactive product behind, so use a tenant that is there for this. Needs
SMOKE_API_KEY, a key of the tenant with integrations.orders.* and integrations.products.*.

  --help  show this help`

const ANSWER_MS_MAX = 15_000

interface Expected {
  status: number
  /** Of the error. */
  code?: string
}

interface Body {
  success: boolean
  data?: Record<string, unknown>
  error?: { code: string; message: string }
  request_id?: string
}

type Call = (method: string, path: string, expected: Expected, body?: object) => Promise<Body>

export async function smoke(args: string[]): Promise<number> {
  const { help, url } = parse(args)
  if (help) {
    console.log(USAGE)
    return 0
  }
  const { SMOKE_API_KEY: key } = process.env
  if (!key) throw new Failure(`smoke needs SMOKE_API_KEY.\n\n${USAGE}`, 2)
  const { version } = JSON.parse(await readFile('package.json', 'utf8'))
  const [open, keyed] = [callerOf(url, null), callerOf(url, key)]
  await step('Health and version', () => checkHealth(open, version))
  await step('A request without a key', () =>
    open('GET', '/api/integrations/v1/orders/', { status: 403, code: 'KEY_MISSING' }),
  )
  await step('An order', () => tryOrder(keyed))
  console.log(`${url} serves ${version}, and its API works.`)
  return 0
}

async function checkHealth(call: Call, version: string): Promise<void> {
  const { data } = await call('GET', '/healthz/', { status: 200 })
  if (data?.version === version) return
  throw new Failure(
    `/healthz/ tells version ${data?.version}, and this folder has ${version}: deploy this folder, or check out the code that serves.`,
  )
}

/** An order is made, read, repeated and cancelled, and a record is asked for that is not there. */
async function tryOrder(call: Call): Promise<void> {
  const api = '/api/integrations/v1'
  const name = `SMOKE-${randomUUID()}`
  const items = [{ sku_code: name, quantity: 1 }]
  await call('GET', `${api}/orders/${name}/`, { status: 404, code: 'NOT_FOUND' })
  await call('POST', `${api}/products/`, { status: 201 }, { sku: name })
  await call('POST', `${api}/orders/`, { status: 201 }, { order_number: name, items })
  const again = { status: 400, code: 'VALIDATION_ERROR' }
  await call('POST', `${api}/orders/`, again, { order_number: name, items })
  const { data } = await call('GET', `${api}/orders/${name}/`, { status: 200 })
  if (data?.order_number !== name) throw new Failure(`The order ${name} reads as another.`)
  await call('DELETE', `${api}/orders/${name}/`, { status: 200 })
  await call('DELETE', `${api}/products/${name}/`, { status: 200 })
}

function callerOf(url: string, key: string | null): Call {
  return async (method, path, expected, body) => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...(key !== null && { 'X-API-Key': key }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    }).catch((error) => {
      throw new Failure(`${method} ${path}: ${error.cause?.message ?? error.message}`)
    })
    const told = (await answer.json().catch(() => null)) as Body | null
    const isExpected = answer.status === expected.status && told?.error?.code === expected.code
    if (told && isExpected) return told
    const id = told?.request_id ? ` (${told.request_id})` : ''
    const wanted = [expected.status, expected.code].filter(Boolean).join(' ')
    throw new Failure(
      `${method} ${path}: ${answer.status} ${told?.error?.message ?? ''}${id}; expected ${wanted}.`,
    )
  }
}

function parse(args: string[]): { url: string; help: boolean } {
  try {
    const options = { help: { type: 'boolean', short: 'h' } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [address = '', ...more] = positionals
    if (values.help) return { url: '', help: true }
    if (more.length === 0 && /^https?:\/\//.test(address)) {
      return { url: address.replace(/\/+$/, ''), help: false }
    }
    throw new Error('Name one base URL, such as https://acme.crossdock.example')
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('. ') : []
    throw new Failure(`${reason}.\n\n${USAGE}`, 2)
  }
}
