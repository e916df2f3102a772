import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../engine/env.ts'
import { ApiError, lacksScope } from '../engine/errors.ts'
import {
  isCovered,
  leaveLargeWork,
  takeLargeWork,
  takeLargeWorkNow,
} from '../engine/exchange/memory.ts'
import { covers } from '../engine/identity/scopes.ts'
import type { Documents } from '../engine/log/documents/read.ts'

/** The documents of the caller's tenant. */
export function documentsOf(c: Context<AppEnv>): Documents {
  return { db: c.get('db'), bucket: c.env.DOCUMENTS, tenant: c.get('caller').tenant }
}

/** A partner's own key never reads documents: they are for the warehouse's administrators. */
export function mayReadDocuments(c: Context<AppEnv>): boolean {
  const { key, partner } = c.get('caller')
  return partner === null && covers(key.scopes, 'settings.documents.read')
}

/** 403 unless the caller may read documents, beside what the route requires. */
export const readsDocuments = createMiddleware<AppEnv>(async function readsDocuments(c, next) {
  refusePartner(c)
  if (!mayReadDocuments(c)) {
    throw lacksScope('settings.documents.read')
  }
  await next()
})

/** Waits for memory for a document of this length, unless the request's share covers it. */
export function memoryFor(c: Context<AppEnv>) {
  return async (length: number): Promise<void> => {
    if (!isCovered(c, length)) await takeLargeWork(c, length)
  }
}

/** Memory for one document after another, of which a request may do without. */
export interface SpareMemory {
  /** False if there is no room at once for a document of this length. */
  take: (length: number) => boolean
  leave: () => void
}

export function spareMemory(c: Context<AppEnv>): SpareMemory {
  return {
    take: (length) => isCovered(c, length) || takeLargeWorkNow(c, length),
    leave: () => leaveLargeWork(c),
  }
}

/** 403 for a partner's own key, whatever its scopes: documents are for the warehouse's administrators. */
export const notForPartners = createMiddleware<AppEnv>(async function notForPartners(c, next) {
  refusePartner(c)
  await next()
})

function refusePartner(c: Context<AppEnv>): void {
  if (!c.get('caller').partner) return
  const message =
    'A key that is linked to a partner cannot read documents, delete them, or send them in the place of a partner: use a key without a partner.'
  throw new ApiError('SCOPE_MISSING', message, { reason: 'KEY_IS_OF_PARTNER' })
}
