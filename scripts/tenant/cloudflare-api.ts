import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { Failure } from '../failure.ts'
import { CONFIG } from './config-file.ts'
import type { Environment } from './environment.ts'
import { runWrangler, runWranglerJson } from './wrangler.ts'

// For what wrangler has no command. Who signs in, and to which account, stays wrangler's to say.

const API = 'https://api.cloudflare.com/client/v4'
const ANSWER_MS_MAX = 60_000
// Of a body of many megabytes.
const TRANSFER_MS_MAX = 600_000
// Cloudflare takes 1,200 calls in five minutes, and says in Retry-After when it takes the next
// (developers.cloudflare.com/fundamentals/api/reference/limits/).
const RETRIES_MAX = 3
const PAUSE_MS = 500
const PAUSE_MS_MAX = 30_000

const Credentials = z.union([
  z.object({ token: z.string() }),
  z.object({ key: z.string(), email: z.string() }),
])
const Identity = z.object({ accounts: z.array(z.object({ id: z.string() })) })
const Answer = z.object({
  success: z.boolean(),
  result: z.unknown(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })).default([]),
  result_info: z
    .object({ cursor: z.string().nullish(), is_truncated: z.boolean().nullish() })
    .nullish(),
})

/** With the HTTP status. */
export type Answer = z.output<typeof Answer> & { status: number }

export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the account, such as `/r2/buckets/x`. */
  path: string
  /** The path is of no account, such as `/zones`. */
  isGlobal?: boolean
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
  /** Sent as they are. */
  bytes?: Uint8Array<ArrayBuffer>
}

let signedIn: Promise<Record<string, string>> | null = null
let account: Promise<string> | null = null

/** What Cloudflare answers, refusals included. Throws a Failure if there is no answer that can be read. */
export async function callCloudflare(environment: Environment, request: Request): Promise<Answer> {
  return await answerIn(await send(environment, request, ANSWER_MS_MAX))
}

/** The bytes that Cloudflare answers; null if there are none at that path. */
export async function download(
  environment: Environment,
  request: Omit<Request, 'method'>,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const answer = await send(environment, { ...request, method: 'GET' }, TRANSFER_MS_MAX)
  if (answer.status === 404) return null
  if (answer.ok) return new Uint8Array(await answer.arrayBuffer().catch(noAnswer))
  throw new Failure(`Cloudflare's API refuses a download: ${reasonOf(await answerIn(answer))}`)
}

/** Throws a Failure unless Cloudflare has taken the bytes. */
export async function upload(
  environment: Environment,
  request: Omit<Request, 'method'>,
): Promise<void> {
  const sent = await send(environment, { ...request, method: 'PUT' }, TRANSFER_MS_MAX)
  const answer = await answerIn(sent)
  if (answer.success) return
  throw new Failure(`Cloudflare's API refuses an upload: ${reasonOf(answer)}`)
}

/**
 * Sends the request again if Cloudflare has not done it: after 429, as long as it says at once how long to wait, and a GET after 5xx.
 */
async function send(environment: Environment, request: Request, msMax: number): Promise<Response> {
  for (let left = RETRIES_MAX; ; left--) {
    const answer = await sendOnce(environment, request, msMax)
    const pause = left > 0 ? pauseAfter(answer, request) : null
    if (pause === null) return answer
    await answer.body?.cancel()
    await sleep(pause)
  }
}

/** How long to wait before the request is sent again, in ms; null if it is not. */
function pauseAfter({ status, headers }: Response, { method }: Request): number | null {
  if (status === 429) {
    const ms = Number(headers.get('Retry-After') ?? Number.NaN) * 1000
    return ms <= PAUSE_MS_MAX ? ms : null
  }
  return status >= 500 && method === 'GET' ? PAUSE_MS : null
}

async function sendOnce(
  environment: Environment,
  { method, path, isGlobal = false, headers, body, bytes }: Request,
  msMax: number,
): Promise<Response> {
  signedIn ??= signIn()
  if (!isGlobal) account ??= accountOf(environment)
  const { CLOUDFLARE_API_BASE_URL = API } = process.env
  const below = isGlobal ? '' : `/accounts/${await account}`
  const url = `${CLOUDFLARE_API_BASE_URL}${below}${path}`
  const json = body !== undefined && { 'Content-Type': 'application/json' }
  return await fetch(url, {
    method,
    headers: { ...(await signedIn), ...json, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(bytes && { body: bytes }),
    signal: AbortSignal.timeout(msMax),
  }).catch(noAnswer)
}

async function answerIn(answer: Response): Promise<Answer> {
  const { data } = Answer.safeParse(await answer.json().catch(() => null))
  if (data) return { ...data, status: answer.status }
  throw new Failure(`Cloudflare's API answers ${answer.status} and nothing that can be read.`)
}

function noAnswer(error: Error): never {
  const reason = error.cause instanceof Error ? error.cause.message : error.message
  throw new Failure(`Cloudflare's API does not answer: ${reason}`)
}

/** Cloudflare's own reason with its code, for a Failure. */
export function reasonOf({ errors }: Answer): string {
  return (
    errors.map(({ code, message }) => `${message} [code: ${code}]`).join(' ') || 'no reason given'
  )
}

/** The headers that wrangler would send. */
async function signIn(): Promise<Record<string, string>> {
  const { CLOUDFLARE_API_TOKEN } = process.env
  if (CLOUDFLARE_API_TOKEN) return { Authorization: `Bearer ${CLOUDFLARE_API_TOKEN}` }
  // Not runWranglerJson, whose Failure shows what was printed.
  const { data } = Credentials.safeParse(parsed(await runWrangler(['auth', 'token', '--json'])))
  if (!data) throw new Failure('wrangler auth token printed no credentials.')
  return 'token' in data
    ? { Authorization: `Bearer ${data.token}` }
    : { 'X-Auth-Key': data.key, 'X-Auth-Email': data.email }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function accountOf({ account_id }: Environment): Promise<string> {
  const chosen = account_id ?? process.env.CLOUDFLARE_ACCOUNT_ID
  if (chosen) return chosen
  const { accounts } = Identity.parse(await runWranglerJson(['whoami']))
  const [only] = accounts
  if (only && accounts.length === 1) return only.id
  throw new Failure(
    `You may use ${accounts.length} accounts of Cloudflare: set CLOUDFLARE_ACCOUNT_ID, or account_id in ${CONFIG}.`,
  )
}
