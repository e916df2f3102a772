import { modeOf } from '../db/item-codes.ts'
import { type AskedText, readCodes } from '../db/read-codes.ts'
import type { TenantDatabase } from '../db/transact.ts'
import { ApiError } from '../errors.ts'
import { NAME_LENGTH_MAX } from '../json/fields.ts'
import type { JsonObject } from '../json/json-object.ts'
import { shortened } from '../json/messages.ts'
import { IDENTIFIERS, type Resource } from '../mapping/identifier.ts'
import type { MappedDocument } from '../mapping/inbound.ts'
import type { CodeAt } from '../mapping/item-code.ts'

/** Whose item codes a document has, and where. */
interface Coded {
  codeAt: CodeAt | null
  partner: { id: string } | null
}

/**
 * A document of a product or location with its name in place of the item code that the partner has for it. It is read
 * before the write, which names the record. 400 SERVICE_ERROR if the code is unknown.
 */
export async function namedByCode(
  db: TenantDatabase,
  resource: Resource,
  document: JsonObject,
  { codeAt, partner }: Coded,
): Promise<JsonObject> {
  const asked = askedName(resource, document, codeAt)
  if (asked === null || partner === null) return document
  const known = await readCodes(db, partner.id, [asked])
  const { record_name } = known(asked)
  if (record_name === null) throw unknownCode(asked)
  return withName(document, asked, record_name)
}

/** As namedByCode, for many documents at once. One whose code is unknown stays as it is. */
export async function allNamedByCode(
  db: TenantDatabase,
  resource: Resource,
  documents: MappedDocument[],
  partner: Coded['partner'],
): Promise<MappedDocument[]> {
  const asked = documents.map(({ value, codeAt }) => askedName(resource, value, codeAt))
  const texts = asked.filter((one) => one !== null)
  if (partner === null || texts.length === 0) return documents
  const known = await readCodes(db, partner.id, texts)
  return documents.map((document, at) => {
    const one = asked[at]
    const name = one ? known(one).record_name : null
    return one && name !== null
      ? { ...document, value: withName(document.value, one, name) }
      : document
  })
}

function withName(document: JsonObject, { kind }: AskedText, name: string): JsonObject {
  return { ...document, [IDENTIFIERS[kind].fallback]: name }
}

/** The item code by which the document names its record; null if it has none. */
function askedName(
  resource: Resource,
  document: JsonObject,
  codeAt: CodeAt | null,
): AskedText | null {
  if (codeAt === null || (resource !== 'products' && resource !== 'locations')) return null
  const field = IDENTIFIERS[resource].fallback
  const text = document[field]
  const mode = modeOf(codeAt([field]))
  const isCode = typeof text === 'string' && text.length <= 2 * NAME_LENGTH_MAX
  return mode === 'own' || !isCode || !text.isWellFormed() ? null : { kind: resource, text, mode }
}

function unknownCode({ kind, text }: AskedText): ApiError {
  const message = `The partner has no item code "${shortened(text)}" for ${kind}. Enter what it stands for in the item codes of the partner.`
  return new ApiError('SERVICE_ERROR', message, {
    fields: { [IDENTIFIERS[kind].fallback]: [message] },
    reason: 'UNKNOWN_CODE',
    missing: { kind: kind === 'products' ? 'product_code' : 'location_code', code: text },
  })
}
