import { expect } from 'vitest'
import { normalized } from '../faults/normalized.ts'
import { storedNow } from '../stored.ts'
import type { Answer, Api, CallOptions, Json } from '../tenant.ts'

/** What the caller sees of an answer, without what is new each time. */
export function seen({ status, body }: Pick<Answer, 'status' | 'body'>): Json {
  return JSON.parse(normalized(JSON.stringify({ status, body })))
}

export type Request = readonly [method: string, path: string, body?: Json, more?: CallOptions]

/**
 * The answer to a dry run of the request, without its mark. It has changed nothing, and is in the audit log as a dry
 * run.
 */
export async function rehearse(
  db: D1Database,
  api: Api,
  [method, path, body, more]: Request,
): Promise<Answer> {
  const before = await storedNow(db)
  const answer = await api.call(method, `${path}?dry_run=true`, body, more)
  expect(await storedNow(db)).toEqual(before)
  expect(answer.headers.get('X-Dry-Run')).toBe('true')
  expect(answer.headers.get('ETag')).toBeNull()
  expect(answer.text).toMatch(/^\{"success":(true|false),"dry_run":true,/)
  const row = await db
    .prepare('select status, dry_run, method from audit_log where request_id = ?')
    .bind(answer.headers.get('X-Request-Id'))
    .first()
  expect(row).toEqual({ status: answer.status, dry_run: 1, method })
  const { dry_run, ...unmarked } = answer.body
  return { ...answer, body: unmarked }
}
