import { admin } from '../fixtures/opened.ts'
import type { Json } from '../fixtures/tenant.ts'
import { makePartner, PARTNERS } from './partners.ts'

/** A new partner, and where its codes of products are. */
export async function openCodes(kind = 'products') {
  const { id } = await makePartner()
  return { partner: id as string, codes: codesOf(id, kind) }
}

export function codesOf(partner: string, kind = 'products'): string {
  return `${PARTNERS}${partner}/item-codes/${kind}/`
}

/** Enters codes, such as `{K12: ['MUG', 12], K1: ['MUG']}`. */
export async function enter(codes: string, table: Record<string, [string, number?]>) {
  const item_codes = Object.entries(table).map(([code, [sku_code, units]]) => {
    return { code, sku_code, ...(units !== undefined && { units }) }
  })
  return await admin.put(codes, { item_codes })
}

/** The newest change of the partner in the history of settings. */
export async function newestChange(partner: string): Promise<Json> {
  const { body } = await admin.get(`/api/settings/v1/history/?record_id=${partner}&limit=1`)
  const [{ id }] = body.data
  return (await admin.get(`/api/settings/v1/history/${id}/`)).body.data
}

/** How many changes the history has of the partner. */
export async function changesOf(partner: string): Promise<number> {
  const { body } = await admin.get(`/api/settings/v1/history/?record_id=${partner}`)
  return body.data.length
}
