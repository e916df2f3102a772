import type { Context } from 'hono'
import type { Warning } from '../document/warnings.ts'
import type { AppEnv } from '../env.ts'
import { isKnown, tagOf } from '../middleware/conditions.ts'
import { created, ok } from './envelope.ts'

/** A record as queries give it. Answers show its version in `ETag` alone. */
type Versioned = object & { version: number }

/** `ok` with the record's ETag; 304 without a body if `If-None-Match` names that. */
export function record(c: Context<AppEnv>, { version, ...data }: Versioned): Response {
  if (!c.get('release').hasConditions) return ok(c, data)
  const tag = tagOf(c, version)
  return tagged(isKnown(c, tag) ? c.body(null, 304) : ok(c, data), tag)
}

/** `created` with the record's ETag. */
export function newRecord(
  c: Context<AppEnv>,
  { version, ...data }: Versioned,
  warnings?: Warning[],
): Response {
  const answer = created(c, data, warnings)
  return c.get('release').hasConditions ? tagged(answer, tagOf(c, version)) : answer
}

function tagged(answer: Response, tag: string): Response {
  answer.headers.set('ETag', tag)
  return answer
}
