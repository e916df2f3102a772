import { expect, it } from 'vitest'
import { createdAtOf, lastIdAt, newRequestId } from '../../src/engine/db/request-id.ts'

const TIMES = [0, 1, Date.UTC(2026, 10, 23, 22, 0, 0, 7), 2 ** 48 - 1].filter(
  (time) => time <= 8.64e15,
)

it('makes UUIDs of version 7 that tell their time', () => {
  for (const time of TIMES) {
    const id = newRequestId(time)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(createdAtOf(id)).toBe(new Date(time).toISOString())
  }
})

it('makes no id twice, and orders ids by their times, and within a millisecond as it made them', () => {
  const now = Date.now()
  const ids = Array.from({ length: 1000 }, () => newRequestId(now))
  expect(new Set(ids).size).toBe(1000)
  expect(ids.toSorted()).toEqual(ids)
  for (const id of ids) expect(id < lastIdAt(now)).toBe(true)
  expect(newRequestId(now + 1) > lastIdAt(now)).toBe(true)
})

it('takes no time from other ids', () => {
  for (const id of [crypto.randomUUID(), 'r1', '', `${newRequestId(1)}0`]) {
    expect(createdAtOf(id)).toBeNull()
  }
})
