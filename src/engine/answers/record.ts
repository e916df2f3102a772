import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'
import { recordIn } from '../exchange/acting.ts'
import { isKnown, tagOf } from '../exchange/etag.ts'
import type { RecordVersion } from '../json/entity-tags.ts'
import type { Warning } from '../json/warnings.ts'
import { created, ok } from './envelope.ts'

/** A record as queries give it. Answers show its version in `ETag` alone. */
interface Versioned {
  id: string
  version: number
  changed_by: string | null
}

/** `ok` with the record's ETag; 304 without a body if `If-None-Match` names that. */
export function okRecord(c: Context<AppEnv>, row: Versioned, warnings?: Warning[]): Response {
  return okUnlessKnown(c, shownOf(row), tagFor(c, row), warnings)
}

/** `created` with the record's ETag. */
export function newRecord(c: Context<AppEnv>, row: Versioned, warnings?: Warning[]): Response {
  const record = recordIn(c)
  if (record) record.id = row.id
  return tagged(created(c, shownOf(row), warnings), tagFor(c, row))
}

/**
 * Null in a release without conditions, and for a record that was read back after the answer of its write was lost,
 * unless it is as this request left it: whoever sent the tag back would overwrite a change that he has not asked for.
 */
function tagFor(c: Context<AppEnv>, row: Versioned): string | null {
  const { isReadBack, subject } = c.get('db')
  const mayBeAnothers = isReadBack && row.changed_by !== subject.request_id
  return c.get('release').hasConditions && !mayBeAnothers ? tagOf(c, row) : null
}

/** `ok` with the ETag of a record of the settings; 304 as for `okRecord`. `id` is what its versions are told by. */
export function okSetting(
  c: Context<AppEnv>,
  id: string,
  { version, ...data }: { version: number },
  warnings?: Warning[],
): Response {
  return okUnlessKnown(c, data, settingTag(c, { id, version }, data), warnings)
}

/** 201, otherwise like `okSetting`. */
export function newSetting(
  c: Context<AppEnv>,
  { version, ...data }: { id: string; version: number; key?: string | null },
  warnings?: Warning[],
): Response {
  return tagged(created(c, data, warnings), settingTag(c, { id: data.id, version }, data))
}

/** Null where the version is not that of this request's change: it was read back later, or nothing was written. */
function settingTag(c: Context<AppEnv>, record: RecordVersion, data: object): string | null {
  const { isReadBack, rehearses } = c.get('db')
  return isReadBack || (rehearses && c.req.method !== 'GET') ? null : tagOf(c, record, markOf(data))
}

/** Time ends a pause and a key, without a new version of the record. */
function markOf({ pause = null, status }: { pause?: object | null; status?: string }): string {
  return `${pause === null ? '' : 'p'}${status === 'expired' ? 'x' : ''}`
}

function okUnlessKnown(
  c: Context<AppEnv>,
  data: object,
  tag: string | null,
  warnings?: Warning[],
): Response {
  const isUnchanged = tag !== null && isKnown(c, tag)
  return tagged(isUnchanged ? c.body(null, 304) : ok(c, data, warnings), tag)
}

function shownOf({ version, changed_by, ...data }: Versioned): object {
  return data
}

function tagged(answer: Response, tag: string | null): Response {
  if (tag !== null) answer.headers.set('ETag', tag)
  return answer
}
