import { expect } from 'vitest'
import type { Api, Json } from '../fixtures/tenant.ts'

const HISTORY = '/api/settings/v1/history/'

/** The number of the newest change of any settings. */
export async function newestChange(admin: Api): Promise<number> {
  return (await admin.get(`${HISTORY}?limit=1`)).body.data[0]?.id ?? 0
}

/**
 * Has so many entries of the record since that change: each begins with what the one before it has left, and the last one
 * has left what the API shows.
 */
export async function checkHistory(
  admin: Api,
  { record_id, api }: { record_id: string; api: string },
  since: number,
  count: number,
): Promise<void> {
  const { data } = (await admin.get(`${HISTORY}?record_id=${record_id}&limit=200`)).body
  const listed: Json[] = data.filter(({ id }: Json) => id > since)
  expect(listed).toHaveLength(count)
  const entries = await Promise.all(
    listed.map(async ({ id }) => (await admin.get(`${HISTORY}${id}/`)).body.data),
  )
  for (const [at, { before, after, fields }] of entries.entries()) {
    const former = entries[at + 1]
    if (former) expect(before).toEqual(former.after)
    const differing = Object.keys(after).filter(
      (name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]),
    )
    expect(differing.toSorted()).toEqual(fields.toSorted())
  }
  const [newest] = entries
  if (!newest) return
  const record = (await admin.get(api)).body.data
  const shared = Object.keys(newest.after).filter((name) => name in record)
  expect(shared.length).toBeGreaterThan(2)
  for (const name of shared) expect([name, record[name]]).toEqual([name, newest.after[name]])
}
