import { readEntry } from '../../scripts/assets/shipped.ts'
import { parseDocument } from '../../src/engine/formats/format.ts'
import type { PartnerDocument } from '../../src/engine/mapping/inbound.ts'
import { STARTER_NAMES, type Starter } from '../../src/settings/mapping-starters/starters.ts'
import type { Json } from '../fixtures/tenant.ts'

/** All, as the API lists them. */
export async function readStarters(): Promise<Starter[]> {
  return await Promise.all(STARTER_NAMES.map(readStarter))
}

export async function readStarter(name: string): Promise<Starter> {
  return await readEntry('mapping-starters', name)
}

/** A document of the starter's system as the body of a request, as a mapping reads it. */
export function sentBy(
  { content_type, mapping }: Starter,
  document: Json,
  method: string,
): PartnerDocument {
  const text = content_type ? document : JSON.stringify(document)
  const bytes = new TextEncoder().encode(text)
  const type = content_type ?? 'application/json'
  const options = { keepsDigits: true, formats: mapping.inbound }
  const { value: payload, ...read } = parseDocument(bytes, type, options)
  return { method, payload, bytes: bytes.length, ...read }
}
