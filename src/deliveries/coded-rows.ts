import type { Query } from '../engine/db/prepared.ts'
import type { RowsToKeep, UnknownCodeRow } from '../engine/db/waiting-rows.ts'
import { ApiError } from '../engine/errors.ts'
import { isObject } from '../engine/json/json-object.ts'
import { shortened } from '../engine/json/messages.ts'
import { CODE_KINDS, type CodeAt, type CodeUse } from '../engine/mapping/item-code.ts'
import { StockRow } from '../records/inventory/schema.ts'
import type { UnknownRow } from '../records/inventory/upload.ts'
import { noItemCode } from '../records/item-codes.ts'

/** Beyond the numbers of pairs, of which an upload has at most a million. */
const FIRST_NUMBER = 1_000_000
const CODED = ['sku_code', 'location_code'] as const

/** Rows with an unknown item code as they wait: in our own words but for the texts, which are still codes. */
export function unknownRows(
  rows: UnknownRow[],
  { partner_id, source }: RowsToKeep,
  codeAt: CodeAt | null,
): UnknownCodeRow[] {
  return rows.flatMap(({ row, sent, missing }): UnknownCodeRow[] => {
    const { success, data } = StockRow.safeParse(sent)
    // What is wrong besides would stay wrong.
    if (!success) return []
    const { location_code, sku_code, quantity } = data
    const codes = Object.fromEntries(
      CODED.map((field) => [field, codeAt?.(['inventory', row, field]) ?? null]),
    )
    const inventory = [{ location_code, sku_code, quantity }]
    const kept: UnknownCodeRow = {
      number: FIRST_NUMBER + row,
      identifier: JSON.stringify([location_code, sku_code, codes, partner_id]),
      name: shortened(`${location_code} / ${sku_code}`),
      needs: missing.kind === 'product_code' ? 'product_code' : 'location_code',
      needs_code: missing.code,
      message: messageOf({ missing }),
      body: JSON.stringify({ inventory, source, codes }),
    }
    return [kept]
  })
}

/** Which texts of a row that waits are item codes. */
export function codeAtOf(value: unknown): CodeAt | null {
  const codes = isObject(value) && isObject(value.codes) ? value.codes : null
  if (!codes) return null
  return ([, , field]) => (typeof field === 'string' ? useOf(codes[field]) : null)
}

function useOf(saved: unknown): CodeUse | null {
  const { of, or_own } = isObject(saved) ? saved : {}
  const kind = CODE_KINDS.find((name) => name === of)
  return kind ? { of: kind, or_own: or_own === true } : null
}

/** Of a row that is tried again: it waits on. */
export function refuseUnknown([first]: UnknownRow[]): Query[] {
  if (!first) return []
  const { missing } = first
  throw new ApiError('SERVICE_ERROR', messageOf(first), { reason: 'UNKNOWN_CODE', missing })
}

function messageOf({ missing }: Pick<UnknownRow, 'missing'>): string {
  const kind = missing.kind === 'product_code' ? 'products' : 'locations'
  return noItemCode(missing.code, kind, missing.orOwn ? 'or_own' : 'code')
}
