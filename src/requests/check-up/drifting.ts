import { payloadOf, recordAt } from '../../engine/log/documents/kept.ts'
import { type Drift, driftsIn } from './drift.ts'
import type { Evidence } from './evidence.ts'
import type { KeptDocuments } from './kept-documents.ts'
import { Places } from './places.ts'
import type { Sampled, Series } from './samples.ts'

/** What has changed in the documents of one resource and method. */
export interface Drifting extends Series {
  drifts: Drift[]
}

/** What has changed in the partner's documents since their mapping was saved. */
export async function findDrifts(
  { series, mappings, documentsOf }: Evidence,
  documents: KeptDocuments,
): Promise<Drifting[]> {
  const found: Drifting[] = []
  for (const { sampled: all, ...which } of series) {
    const sampled = documentsOf === 'all' ? withoutFirstFailures(all) : all
    const inbound = mappings.find(({ resource }) => resource === which.resource)?.inbound ?? null
    const rules = JSON.stringify(inbound ?? {})
    const places = new Places(sampled.length, () => rules)
    const isWhole = await documents.each(sampled, (document, index) => {
      const read = payloadOf(document, inbound)
      const at = document.delivery?.document ?? null
      if (read) places.add(index, recordAt(read.payload, at), document.redacted.length > 0)
    })
    if (!isWhole) break
    found.push({ ...which, sampled, drifts: driftsIn(places, inbound) })
  }
  return found
}

/** Before the first success, perhaps only documents of failed requests were kept. They are no measure. */
function withoutFirstFailures(sampled: Sampled[]): Sampled[] {
  const first = sampled.findIndex(({ has_failed }) => !has_failed)
  return sampled.slice(Math.max(first, 0))
}
