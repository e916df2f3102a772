import type { Context } from 'hono'
import { SettingsChanged } from '../db/transact.ts'
import { sqliteCode } from '../db/violations.ts'
import type { AppEnv } from '../env.ts'
import { ApiError, type ErrorReason, errorName, unavailable } from '../errors.ts'
import { amongRefused } from '../exchange/memory.ts'
import { type AppFetch, rerun } from '../exchange/rerun.ts'
import { answerRow } from '../exchange/row.ts'
import { makeRoom } from '../log/make-room.ts'
import { answeredError } from './envelope.ts'

// From these messages callers tell what happened to their write (docs/reliability.md).
const UNKNOWN =
  'The database did not answer: the write may or may not have been applied. Sending it again creates no duplicate order, product or location.'
const DONE =
  'The write was applied, but its result cannot be shown. Read the record instead of sending the write again.'
const CHANGING =
  'The settings changed several times while this request was running. Nothing was changed by it: send it again.'

/** Reasons of a 503 that depends on settings. */
const OF_SETTINGS = new Set<ErrorReason>(['PAUSED', 'SECRET_UNREADABLE'])

type Render = (c: Context<AppEnv>, error: ApiError) => Response | Promise<Response>

/**
 * Renders every error once, as JSON or as a page. Before a refusal that depends on the caller's settings
 * is sent, D1 confirms these settings. If they have changed, the caller is looked up again and the
 * request rerun. So is a write that has found the database full, if there was something to delete. If its write was or may
 * be applied, the request is not rerun, and the response says so instead.
 */
export function answerErrors(answer: AppFetch, render: Render) {
  return async function answerError(error: Error, c: Context<AppEnv>): Promise<Response> {
    try {
      const failure = await confirmed(c, error)
      const isOutdated = failure instanceof SettingsChanged
      const answered = isOutdated || (await hasRoomNow(c, failure)) ? await rerun(c, answer) : null
      if (answered) return answered
      if (isOutdated) throw unavailable(CHANGING, 'SETTINGS_CHANGING')
      return await renderFinal(c, failure)
    } catch (failure) {
      return await renderFinal(c, failure)
    }
  }

  async function renderFinal(c: Context<AppEnv>, failure: unknown): Promise<Response> {
    const error = toApiError(c, failure)
    if (isStorageFull(error)) reportFull(c)
    return await render(c, (await errorAboutWrite(c, error)) ?? error)
  }
}

/**
 * The error, once D1 has confirmed the caller's settings; else what that throws: SettingsChanged if they
 * are outdated, 503 if D1 does not answer or too many refusals of the key wait for it.
 */
async function confirmed(c: Context<AppEnv>, error: Error): Promise<unknown> {
  const known = c.get('exchange').caller
  if (!known || known.db.confirmed || !isRefusal(error)) return error
  return await amongRefused(c, known.caller, () => known.db.confirm()).then(
    () => error,
    (changed: unknown) => changed,
  )
}

/**
 * The error to send instead if the write was or may be applied; null otherwise. Blocks an attempt that
 * may still arrive, by storing the error's audit row.
 */
async function errorAboutWrite(c: Context<AppEnv>, error: ApiError): Promise<ApiError | null> {
  const exchange = c.get('exchange')
  const known = exchange.caller
  if (known?.db.writeState === 'unknown') {
    const answered = answeredError(c, error)
    await known.db.blockLateWrite(answerRow(exchange, known, answered.status, answered))
  }
  const writeState = known?.db.writeState
  if (writeState !== 'unknown' && writeState !== 'committed') return null
  const [message, reason] =
    writeState === 'unknown'
      ? ([UNKNOWN, 'WRITE_UNKNOWN'] as const)
      : ([DONE, 'WRITE_APPLIED'] as const)
  if (error.code === 'INTERNAL_ERROR') return new ApiError('INTERNAL_ERROR', message, { reason })
  const { retryAfter = 1 } = error.details
  return new ApiError('UNAVAILABLE', message, { retryAfter, reason })
}

function isRefusal(error: Error): boolean {
  if (!(error instanceof ApiError)) return false
  const { code, details } = error
  if (details.reason !== undefined && OF_SETTINGS.has(details.reason)) return true
  return code !== 'UNAVAILABLE' && code !== 'INTERNAL_ERROR'
}

/**
 * Logs an unexpected error with its stack frames and SQLite code, but never with its message: that may
 * hold SQL, keys or addresses.
 */
export function toApiError(c: Context<AppEnv>, error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { request_id } = c.get('exchange')
  const frames = error instanceof Error ? error.stack?.split('\n').filter(isFrame) : []
  const name = errorName(error)
  const sqlite = sqliteCode(error)
  console.error(JSON.stringify({ event: 'internal_error', request_id, name, sqlite, frames }))
  return new ApiError(
    'INTERNAL_ERROR',
    'Something went wrong on our side. If it happens again, send us the request_id.',
  )
}

function isStorageFull(failure: unknown): boolean {
  return failure instanceof ApiError && failure.details.reason === 'STORAGE_FULL'
}

/** Whether the database was full, and something in it could be deleted. */
async function hasRoomNow(c: Context<AppEnv>, failure: unknown): Promise<boolean> {
  const { caller: known } = c.get('exchange')
  if (!known || !isStorageFull(failure)) return false
  return await makeRoom(known.caller.tenant, known.sources.db)
}

/** Only the operator can help, and reads the log. */
function reportFull(c: Context<AppEnv>): void {
  const { request_id, caller } = c.get('exchange')
  const tenant = caller?.caller.tenant
  console.error(JSON.stringify({ event: 'storage_full', request_id, tenant }))
}

function isFrame(line: string): boolean {
  return /^\s+at /.test(line)
}
