import {
  type DocumentOptions,
  type ParsedDocument,
  parseDocument,
  partsOfXml,
} from '../formats/format.ts'
import type { Pace } from '../limits/pace.ts'

/** For each character of XML: some 100 ns. */
const STEPS_OF_CHARACTER = 4

/** As `parseDocument`, in turn with the long work of others; XML lets others in between its parts. */
export async function parseInTurn(
  pace: Pace,
  bytes: Uint8Array,
  contentType: string | null,
  options: DocumentOptions = {},
): Promise<ParsedDocument> {
  const begin = () =>
    partsOfXml(bytes, contentType, options) ?? parseDocument(bytes, contentType, options)
  const begun = await pace.inTurn(bytes.length, begin)
  if (!('next' in begun)) return begun
  let part = begun.next()
  while (!part.done) part = await pace.inTurn(part.value * STEPS_OF_CHARACTER, () => begun.next())
  return { value: part.value, hasExactNumbers: false, listsSingles: true }
}
