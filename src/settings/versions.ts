import { type Column, type SQL, sql } from 'drizzle-orm'
import type { Context } from 'hono'
import { differsFrom } from '../engine/db/record-change.ts'
import type { AppEnv } from '../engine/env.ts'
import { ApiError } from '../engine/errors.ts'
import { versionsNamed } from '../engine/exchange/etag.ts'
import { versionName } from '../engine/json/entity-tags.ts'

// A change of settings names the versions of the record that it was made of: in If-Match, or in a hidden field of a form.
// The statement of the change compares them, so no change that was made in between is overwritten.

/** `*`: whatever the version is, if there is a record. Undefined: whatever there is. */
export type Versions = readonly number[] | '*' | undefined

/** SQL for the version of a settings record that a statement creates. It never repeats (migrations/0002). */
export const NEXT_VERSION: SQL = sql`(select settings_version + 1 from workspace)`

/** The same of a record that a statement changes. One that holds these values already keeps its version. */
export function versionAfter(table: { version: Column }, values: object): { version?: SQL } {
  const differs = differsFrom(table, values)
  return differs
    ? { version: sql`case when ${differs} then ${NEXT_VERSION} else ${table.version} end` }
    : {}
}

/** SQL that is true for a row of one of these versions. */
export function isAtVersion(versions: Versions, version: SQL = sql`version`): SQL {
  if (versions === undefined) return sql`true`
  if (versions === '*') return sql`(${version} > 0)`
  return sql`(${version} in (select value from json_each(${JSON.stringify(versions)})))`
}

/** The versions of the record with this id that `If-Match` names. */
export function versionsAsked(c: Context<AppEnv>, id: string): Versions {
  if (c.get('heeds') === 'If-Match' && c.get('named') === '*') return '*'
  const names = versionsNamed(c)
  return names
    ?.map((name) => Number.parseInt(name, 10))
    .filter((version, at) => names[at] === versionName({ id, version }))
}

/** 412 PRECONDITION_FAILED if the change is not of the record as it is; else null. Version 0: there is none. */
export function versionRefusal(
  one: string,
  found: { id: string; version: number },
  versions: Versions,
): ApiError | null {
  if (versions === undefined) return null
  if (versions === '*' ? found.version > 0 : versions.includes(found.version)) return null
  if (found.version === 0) {
    const message = `There is no ${one} now: it was deleted, or never made. Send it without If-Match to make one.`
    return new ApiError('PRECONDITION_FAILED', message)
  }
  return new ApiError(
    'PRECONDITION_FAILED',
    `The ${one} has been changed since: it is at version ${found.version}. Read it again before you change it.`,
    { found },
  )
}
