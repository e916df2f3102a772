import type { StoredDocument } from '../../engine/log/documents/store.ts'
import type { FailedRequest } from './evidence.ts'
import type { KeptDocuments } from './kept-documents.ts'

/** A client may repeat a request once without harm. The third time it does not know what to do. */
export const SAME_DOCUMENT_MIN = 3
/** The newest ones tell whether the partner still does it. */
const COMPARED_MAX = 60

/** Requests that brought the same document and failed, newest first. */
export interface Repeated {
  failures: FailedRequest[]
  /** Places were redacted, and may differ. */
  isRedacted: boolean
}

/**
 * Which documents came three times, of failed requests that have no name and fields to know them by. Only requests
 * that failed alike are compared. Digests are made here and forgotten: a stored one could be used to guess
 * what a short document said.
 */
export async function repeatedIn(
  failures: readonly FailedRequest[],
  documents: KeptDocuments,
): Promise<Repeated[]> {
  const unnamed = failures.filter((one) => one.has_document && !isNamed(one) && !one.is_taken)
  const alike = groupsOf(unnamed, outcomeOf)
    .flat()
    .toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1))
    .slice(0, COMPARED_MAX)
  const digests = new Map<FailedRequest, string>()
  const redacted = new Set<FailedRequest>()
  await documents.each(alike, async (document, index) => {
    const failure = alike[index]
    if (!failure) return
    digests.set(failure, await digestOf(document))
    if (document.redacted.length > 0) redacted.add(failure)
  })
  const read = alike.filter((failure) => digests.has(failure))
  return groupsOf(read, (failure) => `${outcomeOf(failure)}\n${digests.get(failure)}`).map(
    (group) => ({ failures: group, isRedacted: group.some((failure) => redacted.has(failure)) }),
  )
}

/** Those that are found by record and fields, without a look at documents. */
export function isNamed({ record_name, error_fields }: FailedRequest): boolean {
  return record_name !== null && error_fields !== null
}

function groupsOf(
  failures: readonly FailedRequest[],
  keyOf: (failure: FailedRequest) => string,
): FailedRequest[][] {
  return [...Map.groupBy(failures, keyOf).values()].filter(
    ({ length }) => length >= SAME_DOCUMENT_MIN,
  )
}

/** A PUT of the same document to another path is another request. */
function outcomeOf({ method, path, error_code, message, error_fields }: FailedRequest): string {
  return [method, path, error_code, message, error_fields].join('\n')
}

async function digestOf({ encoding, body }: StoredDocument): Promise<string> {
  const bytes = new TextEncoder().encode(`${encoding}:${body}`)
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('base64')
}
