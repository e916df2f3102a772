import { expect } from 'vitest'
import { reasonIn } from '../reasons.ts'
import type { Answer } from '../tenant.ts'

const INTERNALS = /\bselect\b.+\bfrom\b|\binsert into\b|\bupdate\b.+\bset\b|SQLITE|D1_ERROR|\.ts\b/i

/**
 * The answer is this error and nothing else: one envelope, `detail` as spec 5 has it, the request
 * id of the header, a reason if the code has reasons, and nothing of how we are built.
 */
export function expectRefusal(answer: Answer, status: number, code: string, message?: string) {
  expect([answer.status, answer.body?.error?.code]).toEqual([status, code])
  const { fields, ...error } = answer.body.error
  expect({ ...answer.body, error }).toEqual({
    success: false,
    ...(answer.headers.has('X-Dry-Run') && { dry_run: true }),
    error: { code, ...reasonIn(error, code), message: message ?? expect.stringMatching(/\S/) },
    detail: error.message,
    request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
  expect(answer.body.request_id).toBe(answer.headers.get('X-Request-Id'))
  expect(answer.headers.get('Cache-Control')).toBe('no-store')
  expect(answer.headers.get('Content-Type')).toMatch(/^application\/json\b/)
  expect(answer.text).not.toMatch(INTERNALS)
}

/** 400 VALIDATION_ERROR that names exactly these fields. */
export function expectInvalid(answer: Answer, ...fields: string[]) {
  expectRefusal(answer, 400, 'VALIDATION_ERROR')
  expect(Object.keys(answer.body.error.fields)).toEqual(fields)
}
