import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError } from '../../engine/errors.ts'
import { applyDelivery } from '../../requests/deliveries/apply.ts'
import { APPLIED_MAX } from '../../requests/deliveries/schema.ts'
import { cut, type Run, type RunProgress } from '../run/run.ts'
import { GONE, type TriedWaiting } from './tried.tsx'

/** Tries the next deliveries of the run, at most 20. Those that cannot be tried just now stay in it. */
export async function applyNext(
  c: Context<AppEnv>,
  { id, ids, results }: Run<TriedWaiting>,
): Promise<RunProgress<TriedWaiting>> {
  const made: TriedWaiting[] = []
  const run = () => ({ id, ids: ids.slice(made.length), results: [...results, ...made] })
  for (const delivery_id of ids.slice(0, APPLIED_MAX)) {
    try {
      made.push(await resultOf(c, delivery_id))
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'UNAVAILABLE')) throw error
      return { run: run(), stopped: error.message }
    }
  }
  return { run: run(), stopped: null }
}

async function resultOf(c: Context<AppEnv>, delivery_id: string): Promise<TriedWaiting> {
  const { request_id, outcome, record, reason, error } = await tried(c, delivery_id)
  return {
    delivery_id,
    name: cut(record ?? ''),
    request_id,
    outcome: outcome ?? '',
    reason: cut(reason ?? error?.message ?? ''),
  }
}

/** Somebody else, or Crossdock itself, may have been faster. */
async function tried(c: Context<AppEnv>, id: string) {
  try {
    return await applyDelivery(c, id)
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
    const reason = 'It did not wait any more.'
    return { request_id: null, outcome: GONE, record: null, reason, error: null }
  }
}
