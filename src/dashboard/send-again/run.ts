import type { Context } from 'hono'
import * as z from 'zod'
import type { AppEnv } from '../../engine/env.ts'
import { describeRequests } from '../../requests/send-again/run.ts'
import { SENT_MAX } from '../../requests/send-again/schema.ts'
import { type SendOutcome, sendAllAgain } from '../../requests/send-again/send-all.ts'
import { cut, ResultText, type Run, type RunProgress } from '../run/run.ts'

export const Result = z
  .tuple([z.uuid(), ResultText, z.uuid().nullable(), z.int().nullable(), z.int(), ResultText])
  .transform(([replay_of, name, request_id, status, rows_failed, reason]) => ({
    replay_of,
    name,
    request_id,
    status,
    rows_failed,
    reason,
  }))

/** The result of a request. `request_id` and `status` are null if it was not sent, for the `reason`. */
export type Result = z.output<typeof Result>

/** Sent later, the same request may succeed. The run itself does not send it once more. */
export function isUnanswered(status: number | null): boolean {
  return status === 408 || (status ?? 0) >= 500
}

const UNANSWERED =
  'Some requests were not answered in time (408 or 5xx). Wait a little, then continue. Send these in a new run.'

/** Sends the next requests of the run. Those that cannot be sent just now stay in it. */
export async function sendNext(
  c: Context<AppEnv>,
  { id, ids, results }: Run<Result>,
): Promise<RunProgress<Run<Result>>> {
  const outcomes = await sendAllAgain(c, ids.slice(0, SENT_MAX), id)
  const done = outcomes.filter(({ error }) => error?.code !== 'UNAVAILABLE')
  const isDone = new Set(done.map(({ replay_of }) => replay_of))
  const left = ids.filter((each) => !isDone.has(each))
  const run = { id, ids: left, results: [...results, ...(await resultsOf(c, done))] }
  if (done.some(({ status }) => isUnanswered(status))) return { run, stopped: UNANSWERED }
  return { run, stopped: done.length > 0 ? null : (outcomes[0]?.error?.message ?? null) }
}

async function resultsOf(c: Context<AppEnv>, outcomes: SendOutcome[]): Promise<Result[]> {
  const ids = outcomes.flatMap(({ replay_of, request_id }) => [replay_of, request_id ?? []].flat())
  const known = await describeRequests(c.get('db'), ids)
  return outcomes.map(({ replay_of, request_id, status, error }) => {
    const original = known.get(replay_of)
    const name = original?.record_name ?? (original ? `${original.method} ${original.path}` : '')
    // The row of the table names the request.
    const reason = error?.message.replace(`The request "${replay_of}"`, 'It') ?? ''
    const rows_failed = known.get(request_id ?? '')?.rows_failed ?? 0
    return { replay_of, name: cut(name), request_id, status, rows_failed, reason: cut(reason) }
  })
}
