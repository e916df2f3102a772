import { modeOf } from '../../engine/db/item-codes.ts'
import { type AskedText, readCodes } from '../../engine/db/read-codes.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { memberOf } from '../../engine/json/json-object.ts'
import { readPath } from '../../engine/json/path.ts'
import type { MappedDocument } from '../../engine/mapping/inbound.ts'

/** What an item code of the partner stands for. */
export interface StandsFor {
  /** The SKU or location code. */
  record: string
  /** How many of ours one of theirs is. Of a location always 1. */
  units: number
}

/**
 * What the item codes of a mapped document stand for, by our field, as far as they are known and the field is one of
 * these. Undefined without any.
 */
export async function standingFor(
  db: TenantDatabase,
  partnerId: string,
  { value, codeAt }: Pick<MappedDocument, 'value' | 'codeAt'>,
  fields: string[],
): Promise<Record<string, StandsFor> | undefined> {
  if (codeAt === null) return undefined
  const asked = fields.flatMap((field): (AskedText & { field: string })[] => {
    const path = readPath(field)
    const use = codeAt(path)
    const text = path.reduce<unknown>(memberOf, value)
    return use && typeof text === 'string' ? [{ field, kind: use.of, text, mode: modeOf(use) }] : []
  })
  if (asked.length === 0) return undefined
  const known = await readCodes(db, partnerId, asked)
  const found = asked.flatMap((one) => {
    const { record_name: record, units } = known(one)
    // Our own code, which or_own takes, stands for itself.
    const isOwn = record === one.text && units === 1
    return record === null || isOwn ? [] : [[one.field, { record, units }] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}
