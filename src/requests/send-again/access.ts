import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../../engine/env.ts'
import { lacksScope } from '../../engine/errors.ts'
import { covers, type Scope, SETTINGS_WRITES } from '../../engine/identity/scopes.ts'
import { mayReadDocuments } from '../../middleware/document-access.ts'

/** Whoever sends what he likes in a partner's place may change its mapping, its keys and all other settings as well. */
export const mayWriteSettings = createMiddleware<AppEnv>(async function mayWriteSettings(c, next) {
  const lacked = lackedWrite(c)
  if (lacked) throw lacksScope(lacked)
  await next()
})

const SEND_AGAIN: Scope = 'settings.deliveries.write'

/** To send again what a partner has sent takes no more than to apply a delivery that waits. */
export const requireSendAgain = createMiddleware<AppEnv>(async function requireSendAgain(c, next) {
  if (!covers(c.get('caller').key.scopes, SEND_AGAIN)) throw lacksScope(SEND_AGAIN)
  await next()
})

/** Whether the caller may send requests again, if it also has the scope of the request itself. */
export function maySendAgain(c: Context<AppEnv>): boolean {
  return mayReadDocuments(c) && covers(c.get('caller').key.scopes, SEND_AGAIN)
}

/** Whether the caller may send in the place of any partner, if it also has the scope of the request itself. */
export function mayActForPartners(c: Context<AppEnv>): boolean {
  return c.get('caller').partner === null && lackedWrite(c) === undefined
}

function lackedWrite(c: Context<AppEnv>) {
  const { scopes } = c.get('caller').key
  return SETTINGS_WRITES.find((scope) => !covers(scopes, scope))
}
