import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { isBookmark, nearSource } from '../engine/db/bookmarks.ts'
import { connect } from '../engine/db/connect.ts'
import type { AppEnv } from '../engine/env.ts'
import { invalid } from '../engine/errors.ts'
import { isRerun } from '../engine/exchange/rerun.ts'
import { bindingOf } from '../engine/identity/binding.ts'

const HEADER = 'X-Read-After'
export const NO_BOOKMARK = "Must be the X-Read-After of an answer to a write of this key's tenant."

/**
 * Lets a key with near reads read the nearest copy of the database, at the state that `X-Read-After` names or a later
 * one. A rerun reads the primary: the copy may not have the settings that the request was looked up with.
 */
export const nearReads = createMiddleware<AppEnv>(async function nearReads(c, next) {
  const { caller, db, exchange } = c.var
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  const after = isRead ? readAfter(c, caller.tenant) : null
  const binding = bindingOf(c.env, caller.tenant)
  if (isRead && caller.key.reads === 'near' && binding && !isRerun(c)) {
    db.readFrom(connect(nearSource(binding, caller.tenant, after), exchange.meter))
  }
  await next()
})

/** The endpoint reads the primary, whoever asks. */
export const primaryReads = createMiddleware<AppEnv>(async function primaryReads(c, next) {
  c.get('db').readFromPrimary()
  await next()
})

/** Tells whoever wrote how to read a state of the database that has the write. */
export function tellBookmark(headers: Headers, tenant: string, bookmark: string | null): void {
  if (bookmark !== null) headers.set(HEADER, `${tenant}.${bookmark}`)
}

/**
 * The bookmark that the request names, null without one or if it is blank, as tools send a header that nobody has filled
 * in; 400 VALIDATION_ERROR for anything else.
 */
function readAfter(c: Context<AppEnv>, tenant: string): string | null {
  const header = c.req.header(HEADER)?.trim()
  if (!header) return null
  const bookmark = header.startsWith(`${tenant}.`) ? header.slice(tenant.length + 1) : ''
  if (!isBookmark(bookmark)) throw invalid({ [HEADER]: [NO_BOOKMARK] })
  return bookmark
}
