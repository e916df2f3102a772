import { modeOf } from '../db/item-codes.ts'
import { readCodes } from '../db/read-codes.ts'
import type { TenantDatabase } from '../db/transact.ts'
import { ApiError } from '../errors.ts'
import { NAME_LENGTH_MAX } from '../json/fields.ts'
import type { JsonObject } from '../json/json-object.ts'
import { IDENTIFIERS, type Resource } from '../mapping/identifier.ts'
import type { CodeAt } from '../mapping/item-code.ts'

/**
 * A document of a product or location with its name in place of the item code that the partner has for it. It is read
 * before the write, which names the record. 400 SERVICE_ERROR if the code is unknown.
 */
export async function namedByCode(
  db: TenantDatabase,
  resource: Resource,
  document: JsonObject,
  { codeAt, partner }: { codeAt: CodeAt | null; partner: { id: string } | null },
): Promise<JsonObject> {
  if (codeAt === null || partner === null) return document
  if (resource !== 'products' && resource !== 'locations') return document
  const field = IDENTIFIERS[resource].fallback
  const text = document[field]
  const mode = modeOf(codeAt([field]))
  const isCode = typeof text === 'string' && text.length <= 2 * NAME_LENGTH_MAX
  if (mode === 'own' || !isCode || !text.isWellFormed()) return document
  const asked = { kind: resource, text, mode }
  const known = await readCodes(db, partner.id, [asked])
  const { record_name } = known(asked)
  if (record_name !== null) return { ...document, [field]: record_name }
  const message = `The partner has no item code "${text}" for ${resource}. Enter what it stands for in the item codes of the partner.`
  throw new ApiError('SERVICE_ERROR', message, {
    fields: { [field]: [message] },
    reason: 'UNKNOWN_CODE',
    missing: { kind: resource === 'products' ? 'product_code' : 'location_code', code: text },
  })
}
