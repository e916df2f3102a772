import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { Failure } from '../failure.ts'

export const WAIT_SECONDS_DEFAULT = 60
const DNS_ADVICE = ' docs/operations.md says which DNS record and certificate a tenant needs.'
const POLL_MS = 500
export const REQUEST_MS_MAX = 10_000

const Envelope = z.object({ data: z.object({ tenant: z.string() }) })
const Refusal = z.object({ error: z.object({ message: z.string() }) })

/** Aborted after the seconds that --wait names. */
export function patienceOf(wait: string | undefined): AbortSignal {
  return AbortSignal.timeout((wait === undefined ? WAIT_SECONDS_DEFAULT : Number(wait)) * 1000)
}

/**
 * Waits until the tenant answers: a deployment reaches all of Cloudflare in seconds, a new DNS record in
 * minutes. With a key it reads the workspace, without one /healthz/.
 */
export async function untilAnswers(
  baseUrl: string,
  slug: string,
  key: string | null,
  patience = patienceOf(undefined),
): Promise<void> {
  for (;;) {
    const fault = await faultOf(baseUrl, slug, key)
    if (fault === null) return
    if (patience.aborted) {
      const advice = /ENOTFOUND|EAI_AGAIN|certificate/i.test(fault) ? DNS_ADVICE : ''
      throw new Failure(`${baseUrl} does not answer for ${slug} yet: ${fault}.${advice}`)
    }
    await sleep(POLL_MS)
  }
}

/**
 * Waits until the tenant's host answers 404, or no longer answers when the patience ends. A single lost request
 * proves nothing.
 */
export async function untilGone(baseUrl: string, patience = patienceOf(undefined)): Promise<void> {
  for (;;) {
    const answer = await fetch(`${baseUrl}/healthz/`, {
      signal: AbortSignal.timeout(REQUEST_MS_MAX),
    }).catch(() => null)
    if (answer?.status === 404 || (answer === null && patience.aborted)) return
    if (patience.aborted) throw new Failure(`${baseUrl} still answers: ${answer?.status}.`)
    await sleep(POLL_MS)
  }
}

async function faultOf(baseUrl: string, slug: string, key: string | null): Promise<string | null> {
  const path = key === null ? '/healthz/' : '/api/settings/v1/workspace/'
  try {
    const answer = await fetch(baseUrl + path, {
      headers: key === null ? {} : { 'X-API-Key': key },
      signal: AbortSignal.timeout(REQUEST_MS_MAX),
    })
    const body: unknown = await answer.json().catch(() => null)
    if (answer.ok && Envelope.safeParse(body).data?.data.tenant === slug) return null
    const { data: refusal } = Refusal.safeParse(body)
    return `${answer.status} ${refusal?.error.message.replace(/\.$/, '') ?? 'without a response of Crossdock'}`
  } catch (error) {
    return reasonOf(error)
  }
}

/** fetch puts the actual reason into `cause`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
