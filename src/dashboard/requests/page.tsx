import type { Context } from 'hono'
import { findDocument } from '../../audit/documents/read.ts'
import type { AppEnv } from '../../env.ts'
import { ApiError } from '../../errors.ts'
import { RESOURCES } from '../../mapping/identifier.ts'
import { documentsOf, mayReadDocuments, memoryFor } from '../../middleware/document-access.ts'
import { logOf } from '../../middleware/log.ts'
import { findRequest } from '../../settings/audit-log/log.ts'
import type { LoggedRequest } from '../../settings/audit-log/record.ts'
import { maySendAgain } from '../../settings/send-again/access.ts'
import { may } from '../access.ts'
import { RequestDetail } from '../audit-log/detail.tsx'
import { requestPath } from '../audit-log/filters.ts'
import { Heading } from '../layout/heading.tsx'
import { showPage } from '../layout/page.tsx'
import { mappingPath } from '../mappings/place.ts'
import { ChangesSection, changesOf } from './changes.tsx'
import { FaultList, type Kept, KeptAnswer, MarkedDocument } from './document.tsx'
import { faultsOf } from './faults.ts'

const OF_RESOURCE = /^\/api\/integrations\/v1\/(\w+)\//

/** A document, or why there is none to show. */
type Found = { kept: Kept } | { why: string }

/** One request: what was asked and answered, and what was wrong in the document. */
export async function showRequest(c: Context<AppEnv>, id: string) {
  const request = await findRequest(logOf(c), id)
  const found = await keptDocument(c, id)
  const changes = await changesOf(c, request)
  const faults = faultsOf(request.details)
  const title = `${request.method} ${request.path}`
  return showPage(
    c,
    title,
    <>
      <Heading text="Request">
        {'kept' in found && maySendAgain(c) && hasFailed(request) && (
          <a href={`${requestPath(id)}send-again/`}>Send again</a>
        )}
        <EditorLink c={c} request={request} isKept={'kept' in found} />
      </Heading>
      <RequestDetail record={request} />
      {changes && <ChangesSection c={c} request={request} changes={changes} />}
      {'kept' in found ? (
        <>
          <MarkedDocument kept={found.kept} faults={faults} />
          <KeptAnswer kept={found.kept} />
        </>
      ) : (
        <section>
          <h2>The partner's document</h2>
          <p class="nothing">{found.why}</p>
          <FaultList faults={faults} />
        </section>
      )}
    </>,
  )
}

function hasFailed({ status, counts, dry_run }: LoggedRequest): boolean {
  return !dry_run && (status >= 400 || Boolean(counts?.failed))
}

async function keptDocument(c: Context<AppEnv>, id: string): Promise<Found> {
  if (!mayReadDocuments(c))
    return {
      why: 'Your key may not read documents: it lacks the scope settings.documents.read, or is linked to a partner.',
    }
  try {
    return { kept: await findDocument(documentsOf(c), id, memoryFor(c)) }
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
    return { why: error.message }
  }
}

interface EditorLinkProps {
  c: Context<AppEnv>
  request: LoggedRequest
  isKept: boolean
}

function EditorLink({ c, request: { partner, path, request_id }, isKept }: EditorLinkProps) {
  const name = OF_RESOURCE.exec(path)?.[1]
  const resource = RESOURCES.find((each) => each === name)
  if (!partner || !resource || !may(c, 'settings.partners.read')) return null
  const at = mappingPath({ partnerId: partner.id, resource })
  return isKept ? (
    <a href={`${at}?document=${request_id}`}>Open in the mapping editor</a>
  ) : (
    <a href={at}>Mapping</a>
  )
}
