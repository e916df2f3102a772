import type { Context } from 'hono'
import { SettingsChanged } from '../db/transact.ts'
import { sqliteCode } from '../db/violations.ts'
import type { AppEnv } from '../env.ts'
import { announceError } from '../envelope.ts'
import { ApiError, unavailable } from '../errors.ts'
import { refreshCaller } from '../identity/caller.ts'
import { answerRow, replay } from './exchange.ts'

const UNKNOWN =
  'The database did not answer: this request has been carried out, or will be, or never. Sent again, it makes no order, product or location twice.'
const DONE =
  'This request has been carried out, but its result cannot be shown just now. Read it, rather than send it again.'

type Answer = Parameters<typeof replay>[1]
type Render = (c: Context<AppEnv>, error: ApiError) => Response | Promise<Response>

/**
 * Every error ends here and is rendered once, as JSON or as a page. A refusal that rests on the
 * caller's settings is confirmed by D1 before it is sent; where they have changed, the caller is
 * looked up afresh and the request replayed once, unless its write has landed or may. No refusal
 * leaves while that is so.
 */
export function answerErrors(answer: Answer, render: Render) {
  return async function answerError(error: Error, c: Context<AppEnv>): Promise<Response> {
    try {
      const told = await settled(c, error)
      if (!(told instanceof SettingsChanged)) return await renderTruly(c, told)
      const { replayed, caller } = c.get('exchange')
      if (replayed || (caller && caller.db.fate !== 'none')) {
        throw unavailable('Settings are changing just now. Nothing was changed: try again.')
      }
      await renewCaller(c)
      return await replay(c, answer)
    } catch (failure) {
      return await renderTruly(c, failure)
    }
  }

  async function renderTruly(c: Context<AppEnv>, failure: unknown): Promise<Response> {
    const error = toApiError(c, failure)
    return await render(c, (await overruling(c, error)) ?? error)
  }
}

/**
 * The error to answer with: SettingsChanged where D1 says that the refusal rests on old settings.
 */
async function settled(c: Context<AppEnv>, error: Error): Promise<unknown> {
  const known = c.get('exchange').caller
  if (!known || known.db.confirmed || !isRefusal(error)) return error
  return await known.db.confirm().then(
    () => error,
    (changed: unknown) => changed,
  )
}

/**
 * What to say instead of the error: that the write has landed all the same, or that nobody knows. Null
 * where the error stands; if an attempt was still on its way, its audit row is stored then.
 */
async function overruling(c: Context<AppEnv>, error: ApiError): Promise<ApiError | null> {
  const exchange = c.get('exchange')
  const known = exchange.caller
  const status = announceError(c, error)
  if (known?.db.fate === 'unknown') await known.db.fence(answerRow(exchange, known, status))
  const fate = known?.db.fate
  if (fate !== 'unknown' && fate !== 'committed') return null
  const message = fate === 'unknown' ? UNKNOWN : DONE
  return isRefusal(error) ? unavailable(message) : new ApiError(error.code, message, error.details)
}

function isRefusal(error: Error): boolean {
  return (
    error instanceof ApiError && error.code !== 'UNAVAILABLE' && error.code !== 'INTERNAL_ERROR'
  )
}

async function renewCaller(c: Context<AppEnv>): Promise<void> {
  const known = c.get('exchange').caller
  if (known) await refreshCaller(known.sources, known.caller)
}

/**
 * What nobody foresaw is logged by its place and SQLite's code: a message may hold SQL, keys or
 * addresses.
 */
function toApiError(c: Context<AppEnv>, error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { request_id } = c.get('exchange')
  const frames = error instanceof Error ? error.stack?.split('\n').filter(isFrame) : []
  const name = error instanceof Error ? error.constructor.name : typeof error
  const sqlite = sqliteCode(error)
  console.error(JSON.stringify({ event: 'internal_error', request_id, name, sqlite, frames }))
  return new ApiError(
    'INTERNAL_ERROR',
    'Something went wrong on our side. If it stays so, send us the request_id.',
  )
}

function isFrame(line: string): boolean {
  return /^\s+at /.test(line)
}
