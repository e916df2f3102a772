import type { Context } from 'hono'
import { isRequest } from '../../engine/db/log-look-ups.ts'
import { qb } from '../../engine/db/prepared.ts'
import { auditLog } from '../../engine/db/tables.ts'
import { SettingsChanged } from '../../engine/db/transact.ts'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError, type ErrorCode, type ErrorReason, unavailable } from '../../engine/errors.ts'
import { progressOf, requestIdIn } from './run.ts'
import { sendAgain } from './send.ts'

/** Cloudflare and clients wait longer; the rest is sent with another request. */
const SEND_MS_MAX = 20_000

/** The result of one of them: sent, or refused with a reason. */
export interface SendOutcome {
  replay_of: string
  /** Null if it was not sent. */
  request_id: string | null
  status: number | null
  error: { code: ErrorCode; reason?: ErrorReason; message: string } | null
}

/**
 * Sends requests again one by one, the oldest first. One that is refused does not hold up the others; what would
 * undo a later change is skipped. Calls with the same `run`, a UUID, apply each request at most once, and skip what
 * another run has sent and had accepted.
 */
export async function sendAllAgain(
  c: Context<AppEnv>,
  ids: string[],
  run?: string,
): Promise<SendOutcome[]> {
  const ends_at = Date.now() + SEND_MS_MAX
  const outcomes: SendOutcome[] = []
  let stopped: ApiError | null = null
  const before = run === undefined ? null : await progressOf(c.get('db'), run, ids)
  for (const id of await oldestFirst(c, [...new Set(ids)])) {
    const sent = before?.sent.get(id)
    if (sent) {
      outcomes.push({ replay_of: id, ...sent, error: null })
      continue
    }
    if (before?.accepted.has(id)) {
      outcomes.push(notSent(id, ACCEPTED))
      continue
    }
    if (Date.now() >= ends_at) stopped ??= OUT_OF_TIME
    try {
      outcomes.push(stopped ? notSent(id, stopped) : await outcomeOf(c, id, run))
    } catch (error) {
      const hasSent = outcomes.some(({ request_id }) => request_id !== null)
      // A rerun of this request would send those again.
      if (!(error instanceof SettingsChanged) || !hasSent) throw error
      stopped = CHANGED
      outcomes.push(notSent(id, stopped))
    }
  }
  return outcomes
}

const ACCEPTED = new ApiError(
  'SERVICE_ERROR',
  'It was not sent: it has been sent again since, and accepted.',
  { reason: 'SUPERSEDED' },
)
const OUT_OF_TIME = unavailable(
  'There was no time left for this one: send it with the next request.',
  'OUT_OF_TIME',
)
const CHANGED = unavailable(
  'The settings changed while others were sent: send this one with the next request.',
  'SETTINGS_CHANGING',
)

async function outcomeOf(c: Context<AppEnv>, id: string, run?: string): Promise<SendOutcome> {
  try {
    const newId = run === undefined ? undefined : await requestIdIn(run, id)
    const { replay_of, response } = await sendAgain(c, id, { force: false, as: 'sent' }, newId)
    await response.body?.cancel()
    const request_id = response.headers.get('X-Request-Id')
    return { replay_of, request_id, status: response.status, error: null }
  } catch (error) {
    if (error instanceof ApiError) return notSent(id, error)
    throw error
  }
}

function notSent(replay_of: string, { code, message, details: { reason } }: ApiError): SendOutcome {
  const error = { code, ...(reason && { reason }), message }
  return { replay_of, request_id: null, status: null, error }
}

/** Those that the log does not have come last. */
async function oldestFirst(c: Context<AppEnv>, ids: string[]): Promise<string[]> {
  const { request_id, created_at, seq } = auditLog
  const [rows] = await c.get('db').read([
    qb
      .select({ request_id })
      .from(auditLog)
      .where(isRequest(...ids))
      .orderBy(created_at, seq),
  ])
  const known = rows.map((row) => row.request_id)
  return [...known, ...ids.filter((id) => !known.includes(id))]
}
