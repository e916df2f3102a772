import { expect } from 'vitest'
import type { Api, Json } from '../tenant.ts'

export const AT_START = 'from=start'

/** The query that goes on from a cursor. */
export function after(cursor: string): string {
  return `cursor=${cursor}`
}

/** Follows the feed to its end, page by page. `more` is sent with each request. */
export async function follow(api: Api, from: string, more = 'limit=200') {
  const changes: Json[] = []
  let next = from
  for (let pages = 1; ; pages += 1) {
    const { status, body } = await api.get(`/changes/?${next}&${more}`)
    expect([status, body.error]).toEqual([200, undefined])
    changes.push(...body.data)
    const { next_cursor, has_more } = body.pagination
    next = after(next_cursor)
    if (!has_more) return { changes, cursor: next_cursor as string, next, pages }
  }
}

/** What has changed since `next`, to its end, as resource and name. */
export async function namesSince(api: Api, next: string, more?: string): Promise<string[]> {
  return (await follow(api, next, more)).changes.map(nameOf)
}

export function nameOf({ resource, record }: Json): string {
  const { order_number, sku, code, location_code, sku_code } = record
  return `${resource} ${order_number ?? sku ?? code ?? `${location_code} ${sku_code}`}`
}

/** The cursor of this moment. */
export async function now(api: Api, more = 'limit=200'): Promise<string> {
  const { body } = await api.get(`/changes/?from=now&${more}`)
  expect([body.data, body.pagination.has_more]).toEqual([[], false])
  return after(body.pagination.next_cursor)
}
