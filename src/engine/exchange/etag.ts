import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'
import { type RecordVersion, versionName, versionsIn } from '../json/entity-tags.ts'
import { type Warning, withoutEffect } from '../json/warnings.ts'

const IDEMPOTENCY_KEY: Warning = {
  field: 'Idempotency-Key',
  code: 'IDEMPOTENCY_KEY',
  message:
    'Had no effect, and is not needed: an order, product or location is created once under its number, SKU or code, however often it is sent. A repetition is refused, and its error says that the record exists.',
}
const CONDITIONS = ['If-Match', 'If-None-Match', 'If-Modified-Since', 'If-Unmodified-Since']
const SHAPE_LENGTH = 12
const NO_RULES = {}

// By the rules of an outbound mapping, then by release.
const shapes = new WeakMap<object, Map<string, string>>()

/** The versions that `If-Match` names, as versionName gives them; undefined if every version will do. */
export function versionsNamed(c: Context<AppEnv>): string[] | undefined {
  const tags = c.get('heeds') === 'If-Match' ? c.get('named') : undefined
  return tags === undefined || tags === '*' ? undefined : versionsIn(tags)
}

/** Whether `If-None-Match` names this ETag, or any. */
export function isKnown(c: Context<AppEnv>, etag: string): boolean {
  const tags = c.get('heeds') === 'If-None-Match' ? c.get('named') : undefined
  return tags === '*' || (tags?.includes(etag.slice(1, -1)) ?? false)
}

/**
 * The ETag of a record at this version: it differs wherever the caller sees the record differently. `mark` tells what the
 * clock has changed since that version.
 */
export function tagOf(c: Context<AppEnv>, record: RecordVersion, mark = ''): string {
  const shape = shapeOf(c.get('release').name, c.get('outboundRules') ?? NO_RULES)
  return `"${versionName(record)}.${shape}${mark}"`
}

function shapeOf(release: string, rules: object): string {
  const byRelease = shapes.getOrInsertComputed(rules, () => new Map<string, string>())
  return byRelease.getOrInsertComputed(release, () => digestOf(JSON.stringify([release, rules])))
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, SHAPE_LENGTH)
}

/** A warning for each header that the endpoint, or the caller's release, does not heed. */
export function unusedHeaders(c: Context<AppEnv>): Warning[] {
  if (!c.get('exchange').caller) return []
  const { hasConditions, name: release } = c.get('release')
  const reason = hasConditions ? 'Not a condition here' : `Unknown in release ${release}`
  const unused = CONDITIONS.filter(
    (name) => name !== c.get('heeds') && c.req.header(name) !== undefined,
  ).map((name) => withoutEffect(name, reason))
  const isKeyed = c.req.header(IDEMPOTENCY_KEY.field) !== undefined
  return isKeyed ? [IDEMPOTENCY_KEY, ...unused] : unused
}
