import { sql } from 'drizzle-orm'
import { prepared, qb } from '../engine/db/prepared.ts'
import { locations, products } from '../engine/db/tables.ts'
import type { TenantDatabase } from '../engine/db/transact.ts'
import { covers, type Scope } from '../engine/identity/scopes.ts'
import { NAME_LENGTH_MAX } from '../engine/json/fields.ts'
import { differenceOf, nearForms } from '../engine/json/near-forms.ts'

/** Of each kind, the first codes for which near ones are looked up. */
export const ASKED_MAX = 20

export interface CodesByKind<Codes> {
  locations: Codes
  skus: Codes
}

/** By unknown code: a sentence about a known one, with a space before it. */
export type NearCodes = ReadonlyMap<string, string>

const isAmong = sql`in (select value from json_each(${sql.placeholder('forms')}))`

/** Which of the codes in the JSON array `forms` exist: one search of an index for each. */
export const selectLocations = prepared(() =>
  qb.select({ code: locations.code }).from(locations).where(sql`${locations.code} ${isAmong}`),
)
export const selectProducts = prepared(() =>
  qb.select({ code: products.sku }).from(products).where(sql`${products.sku} ${isAmong}`),
)

/**
 * What to add to the message of an unknown code of which a known one differs only in how it is written. One round
 * trip, and none if no code is unknown or a key with these scopes may not read its kind. Adds nothing if the look-up
 * fails: the codes are unknown all the same.
 */
export async function findNearCodes(
  db: TenantDatabase,
  scopes: readonly string[],
  unknown: CodesByKind<Iterable<string>>,
): Promise<CodesByKind<NearCodes>> {
  const formsFor = (scope: Scope, codes: Iterable<string>) =>
    covers(scopes, scope) ? formsOf(codes) : new Map<string, string[]>()
  const places = formsFor('integrations.locations.read', unknown.locations)
  const skus = formsFor('integrations.products.read', unknown.skus)
  if (places.size + skus.size === 0) return { locations: new Map(), skus: new Map() }
  const queries = [selectLocations.with(asked(places)), selectProducts.with(asked(skus))] as const
  const [knownPlaces, knownSkus] = await db.readOn(queries).catch(none)
  return { locations: sentences(places, knownPlaces), skus: sentences(skus, knownSkus) }
}

/** The message of an unknown SKU. */
export function noProduct(sku: string, near: NearCodes): string {
  return `No product has the SKU "${sku}".${near.get(sku) ?? ''}`
}

const NO_PRODUCT = /^No product has the SKU "(.+?)"\.(?: ".*)?$/s

/** The SKU that a message of `noProduct` names; null of any other message, and of one that was cut. */
export function skuNotFound(message: string): string | null {
  return NO_PRODUCT.exec(message)?.[1] ?? null
}

function formsOf(codes: Iterable<string>): Map<string, string[]> {
  const first = Iterator.from(codes).take(ASKED_MAX)
  const forms = first.map((code): [string, string[]] => [code, nearForms(code).filter(fits)])
  return new Map(forms.filter(([, near]) => near.length > 0))
}

/** At most 20 codes, 64 forms of each and 4 bytes in each of 255 characters: 1.3 MB. */
function asked(forms: Map<string, string[]>) {
  return { forms: JSON.stringify([...forms.values()].flat()) }
}

// The answer stands without it. It may be that of an upload, which has committed.
const none = (): [{ code: string }[], { code: string }[]] => [[], []]

function fits(form: string): boolean {
  return form.length > 0 && [...form].length <= NAME_LENGTH_MAX
}

function sentences(forms: Map<string, string[]>, rows: { code: string }[]): NearCodes {
  const known = new Set(rows.map(({ code }) => code))
  const found = Array.from(forms, ([code, near]): [string, string] => {
    const nearest = near.find((form) => known.has(form))
    const sentence = nearest && ` "${nearest}" differs only in ${differenceOf(code, nearest)}.`
    return [code, sentence ?? '']
  })
  return new Map(found.filter(([, sentence]) => sentence !== ''))
}
