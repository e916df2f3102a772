import type { Context } from 'hono'
import { SettingsChanged } from '../db/transact.ts'
import { sqliteCode } from '../db/violations.ts'
import type { AppEnv } from '../env.ts'
import { ApiError, unavailable } from '../errors.ts'
import { refreshCaller } from '../identity/caller.ts'
import { replay } from './exchange.ts'

type Answer = Parameters<typeof replay>[1]
type Render = (c: Context<AppEnv>, error: ApiError) => Response | Promise<Response>

/**
 * Every error ends here and is rendered once, as JSON or as a page. A refusal that rests on the
 * caller's settings is confirmed by D1 before it is sent; where they have changed, the caller is
 * looked up afresh and the request replayed once.
 */
export function answerErrors(answer: Answer, render: Render) {
  return async function answerError(error: Error, c: Context<AppEnv>): Promise<Response> {
    try {
      const told = await settled(c, error)
      if (!(told instanceof SettingsChanged)) return await render(c, toApiError(c, told))
      if (c.get('exchange').replayed)
        throw unavailable('Settings are changing just now. Try again.')
      await renewCaller(c)
      return await replay(c, answer)
    } catch (failure) {
      return await render(c, toApiError(c, failure))
    }
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
