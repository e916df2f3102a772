import type { Context } from 'hono'
import { asked } from '../../engine/db/log-look-ups.ts'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError, lacksScope } from '../../engine/errors.ts'
import { covers } from '../../engine/identity/scopes.ts'
import type { Warning } from '../../engine/json/warnings.ts'
import { findArchived } from '../../engine/log/archive/by-id.ts'
import { type Log, selectBoundary } from '../../engine/log/archive/entries.ts'
import { notInLog } from '../../engine/log/not-in-log.ts'
import { RESOURCES } from '../../engine/mapping/identifier.ts'
import { selectRemembered, type selectTarget } from './statements.ts'

/** Who asks, as far as it decides what there is to see and to undo. */
export interface Asker {
  scopes: readonly string[]
  /** The partner whose orders alone exist for the caller; null if all do. */
  orders_of: string | null
}

export function askerOf(c: Context<AppEnv>): Asker {
  const { key, orders_of } = c.get('caller')
  return { scopes: key.scopes, orders_of }
}

export type UndoTarget = (typeof selectTarget)['_']['result'][number]

/** Values for the placeholders of the statements about a request. */
export function valuesFor(id: string, { scopes, orders_of }: Asker) {
  const resources = RESOURCES.filter((name) => covers(scopes, scopeOf(name, 'write')))
  return { undone: asked([id]), orders_of, resources: JSON.stringify(resources) }
}

/**
 * The request, if it is in the log and the caller may know what it did; otherwise 404 or 403. `found` is what the database
 * has of it.
 */
export async function targetOf(
  log: Log,
  id: string,
  found: UndoTarget | undefined,
  asker: Asker,
  action: 'read' | 'write',
): Promise<UndoTarget> {
  const target = found ?? (await archivedTarget(log, id, asker))
  if (!target?.is_visible) throw notInLog(id)
  const { scopes } = asker
  const { resource } = target
  if (resource && !covers(scopes, scopeOf(resource, action))) {
    throw lacksScope(scopeOf(resource, action))
  }
  return target
}

/** A request that has left the database for the archive: what it replaced is forgotten, and whose order it was. */
async function archivedTarget(log: Log, id: string, asker: Asker): Promise<UndoTarget | undefined> {
  if (asker.orders_of !== null) return undefined
  const [[boundary], [remembered]] = await log.db.read([selectBoundary, selectRemembered])
  const { row } = (boundary && (await findArchived(log, id, boundary))) ?? {}
  if (!(row && remembered)) return undefined
  const { seq, created_at: asked_at } = row
  return { ...remembered, seq, asked_at, ...NOTHING }
}

const NOTHING = {
  ...{ resource: null, bytes: 0, record_id: null, version: null, version_now: null },
  ...{ is_final: 0, is_visible: 1 },
}

/** Whether what the request replaced is not kept any longer, or never was for its age. */
export function hasExpired({ asked_at, since }: UndoTarget): boolean {
  return asked_at < since
}

/**
 * Throws why the request cannot be undone: 400 SERVICE_ERROR if it replaced nothing or is too old, 412
 * PRECONDITION_FAILED if its record has changed since. Returns if it can be.
 */
export function refuseUndo(id: string, target: UndoTarget): void {
  const { resource, since, record_id, version, version_now } = target
  if (target.undo_days === 0) {
    throw refused(id, 'the workspace remembers nothing of what requests replace (undo_days is 0)')
  }
  if (hasExpired(target)) {
    throw refused(
      id,
      `what requests replaced is known since ${since} (undo_days of the workspace), and this one is of ${target.asked_at}`,
    )
  }
  if (resource === null) {
    throw refused(
      id,
      'it has replaced nothing. Uploads of stock and PUTs of orders, products and locations can be undone, if they changed something',
    )
  }
  if (resource === 'inventory') return
  if (version === version_now) {
    if (target.is_final) throw finalStatus(id)
    return
  }
  const one = resource.slice(0, -1)
  throw new ApiError(
    'PRECONDITION_FAILED',
    `The ${one} is at version ${version_now}, and the request "${id}" made version ${version}: it has changed since, so nothing was undone.`,
    { found: { id: record_id ?? '', version: version_now ?? 0 } },
  )
}

export function finalStatus(id: string): ApiError {
  return refused(id, 'it has shipped or cancelled the order, and that is final')
}

function refused(id: string, why: string): ApiError {
  return new ApiError('SERVICE_ERROR', `The request "${id}" cannot be undone: ${why}.`, {
    reason: 'CANNOT_UNDO',
  })
}

/** Warns if not all pairs that have changed since are listed. */
export function unlisted({
  changed_since,
  changed_since_total,
}: {
  changed_since: unknown[]
  changed_since_total: number
}): Warning[] {
  const more = changed_since_total - changed_since.length
  if (more === 0) return []
  const message = `${more} more pairs have changed since, which are not listed.`
  return [{ field: 'changed_since', message }]
}

function scopeOf(resource: string, action: 'read' | 'write'): string {
  return `integrations.${resource}.${action}`
}
