import type { TenantDatabase } from '../../engine/db/transact.ts'
import { noRecord } from '../../engine/errors.ts'
import { shortened } from '../../engine/json/messages.ts'
import type { Warning } from '../../engine/json/warnings.ts'
import type { Sight } from './access.ts'
import { findDrifts } from './drifting.ts'
import { readEvidence } from './evidence.ts'
import type { Finding } from './finding.ts'
import { findingsIn } from './findings.ts'
import { KeptDocuments } from './kept-documents.ts'
import { repeatedIn } from './repeated.ts'

export interface CheckUp {
  findings: Finding[]
  /** What could not be looked at. */
  warnings: Warning[]
}

const NOT_ALL_READ: Warning = {
  field: 'documents',
  message:
    'Not all kept documents could be read in time, so something may be missing here. Try again later.',
}

/**
 * What an administrator should know about the partner, as far as the caller may. 404 NOT_FOUND if there is no such
 * partner. Documents that cannot be read are no error.
 */
export async function checkUp(
  db: TenantDatabase,
  partner_id: string,
  { withKeys, withMappings, documents }: Sight,
): Promise<CheckUp> {
  const now = Date.now()
  const asked = { partner_id, now, withDocuments: documents !== null }
  const evidence = await readEvidence((queries) => db.read(queries), asked)
  if (!evidence) throw noRecord(`No partner has the id "${shortened(partner_id)}".`)
  const known = {
    ...evidence,
    ...(!withKeys && { keys: [] }),
    ...(!withMappings && { mappings: [] }),
  }
  if (!documents) return { findings: findingsIn(known, NO_DOCUMENTS, now), warnings: [] }
  const kept = new KeptDocuments(documents, partner_id)
  const repeated = await repeatedIn(evidence.failures, kept)
  const drifting = await findDrifts(evidence, kept)
  return {
    findings: findingsIn(known, { repeated, drifting }, now),
    warnings: kept.isComplete ? [] : [NOT_ALL_READ],
  }
}

/** What documents tell if nobody has looked at any. */
export const NO_DOCUMENTS = { repeated: [], drifting: [] }
