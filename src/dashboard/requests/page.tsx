import type { Context } from 'hono'
import type { PropsWithChildren } from 'hono/jsx'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError } from '../../engine/errors.ts'
import { logOf } from '../../engine/exchange/log.ts'
import { isDelivery } from '../../engine/identity/webhook-address.ts'
import { type FoundDocument, findDocument } from '../../engine/log/documents/read.ts'
import { relatedOf } from '../../engine/log/related.ts'
import { documentsOf, mayReadDocuments, memoryFor } from '../../middleware/document-access.ts'
import { findRequest } from '../../requests/audit-log/log.ts'
import type { LoggedRequest } from '../../requests/audit-log/record.ts'
import { maySendAgain } from '../../requests/send-again/access.ts'
import { may } from '../access.ts'
import { RequestDetail } from '../audit-log/detail.tsx'
import { Heading } from '../parts/heading.tsx'
import { count } from '../parts/numbers.ts'
import { deliveryPath, mappingPath, PARTNERS_PATH, requestPath, WORKSPACE_PATH } from '../paths.ts'
import { nameLinks } from '../records/names.tsx'
import { recordPathsOf, resourceOf } from '../records/of-requests.tsx'
import { isUnanswered } from '../send-again/run.ts'
import { showPage } from '../shell/page.tsx'
import { ImportLine, undoableImport } from '../undo-import/link.tsx'
import { ChangedSettings, ChangesSection, changesOf, settingsChangedBy } from './changes.tsx'
import { FaultList, KeptAnswer, MarkedDocument } from './document.tsx'
import { type Fault, faultsOf } from './faults.ts'
import { RelatedRequests } from './related.tsx'

interface OutcomeProps {
  request: LoggedRequest
  faults: Fault[]
  wayOut: string
}

/** A document, or why there is none to show. */
type Found = { kept: FoundDocument } | { why: string }

/** One request: what was wrong in its document and what to do, what was asked and answered. */
export async function showRequest(c: Context<AppEnv>, id: string) {
  const request = await findRequest(logOf(c), id)
  const found = await keptDocument(c, id)
  const changes = await changesOf(c, request)
  const settings = await settingsChangedBy(c, request)
  const related = await relatedOf(c.get('db'), request)
  const imported = await undoableImport(c, request)
  // Of an undo it is that of the request that was undone.
  const about = { ...request, path: related.undid?.path ?? request.path }
  const [recordPathOf, names] = await Promise.all([
    recordPathsOf(c, [about]),
    nameLinks(c, {
      keys: [request.api_key.id, related.undid?.api_key_id, related.undoneBy?.api_key_id],
      partners: [request.partner?.id],
    }),
  ])
  const record = recordPathOf(about)
  const faults = faultsOf(request.details)
  const isKept = 'kept' in found
  const way = wayOut(c, request, isKept ? found.kept : null)
  return showPage(
    c,
    `${request.method} ${request.path}`,
    <>
      <Heading text="Request">{!hasFailed(request) && <EditorLink way={way} />}</Heading>
      {hasFailed(request) && (
        <Outcome request={request} faults={faults} wayOut={way.text}>
          <p class="actions">
            <EditorLink way={way} />
            {way.sendAgain && <a href={way.sendAgain}>Send again</a>}
            {(hasWaited(request) || isUpload(request)) && mayReadDocuments(c) && (
              <a href={deliveryPath(request.replay_of ?? request.request_id)}>What became of it</a>
            )}
          </p>
        </Outcome>
      )}
      <RelatedRequests c={c} related={related} names={names} />
      <ImportLine of={imported} request={request} />
      <ChangedSettings c={c} changes={settings} />
      {changes && <ChangesSection c={c} request={request} changes={changes} />}
      {isKept ? (
        <>
          <MarkedDocument kept={found.kept} faults={faults} />
          <KeptAnswer kept={found.kept} />
        </>
      ) : (
        <NoDocument c={c} request={request} why={found.why} faults={faults} />
      )}
      <section>
        <h2>In the audit log</h2>
        <RequestDetail record={request} names={names} recordPath={record} />
      </section>
    </>,
  )
}

interface NoDocumentProps {
  c: Context<AppEnv>
  request: LoggedRequest
  why: string
  faults: Fault[]
}

/** What is wrong, where there is no document to show it in, and how there is one next time. */
function NoDocument({ c, request, why, faults }: NoDocumentProps) {
  const isByHand = request.path.startsWith('/dashboard/')
  // What was typed here has no document, and no setting keeps one.
  if (isByHand && faults.length === 0) return null
  const at = request.partner ? `${PARTNERS_PATH}${request.partner.id}/` : WORKSPACE_PATH
  const mayRead = may(c, request.partner ? 'settings.partners.read' : 'settings.workspace.read')
  const isDelivery = hasWaited(request) && mayReadDocuments(c)
  return (
    <section>
      <h2>The partner's document</h2>
      <p class="nothing">
        {isDelivery ? (
          <>
            While it waits,{' '}
            <a href={deliveryPath(request.replay_of ?? request.request_id)}>its delivery</a> has it.
          </>
        ) : (
          why
        )}{' '}
        {!isDelivery && !isByHand && mayRead && (
          <>
            <a href={at}>{request.partner ? 'The partner' : 'The workspace'}</a> says which
            documents are kept.
          </>
        )}
      </p>
      <FaultList faults={faults} />
    </section>
  )
}

/** Whether it brought or tried a delivery that could not be applied by then. */
function hasWaited({ delivery }: LoggedRequest): boolean {
  return delivery?.outcome === 'waiting'
}

/** Rows of it may wait. */
function isUpload({ delivery }: LoggedRequest): boolean {
  return delivery?.outcome === 'uploaded'
}

function hasFailed({ status, counts, dry_run }: LoggedRequest): boolean {
  return !dry_run && (status >= 400 || Boolean(counts?.failed))
}

async function keptDocument(c: Context<AppEnv>, id: string): Promise<Found> {
  if (!mayReadDocuments(c))
    return {
      why: 'You may not read documents: you lack the scope settings.documents.read, or your key is linked to a partner.',
    }
  try {
    return { kept: await findDocument(documentsOf(c), id, memoryFor(c)) }
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
    return { why: error.message }
  }
}

interface WayOut {
  text: string
  editor: { path: string; text: string } | null
  sendAgain: string | null
}

/** What there is to do about a request that failed, as far as the session's key may do it. */
function wayOut(c: Context<AppEnv>, request: LoggedRequest, kept: FoundDocument | null): WayOut {
  const { partner, path, request_id } = request
  const isKept = kept !== null
  const resource = resourceOf(path) ?? kept?.delivery?.resource
  const at = partner && resource && mappingPath({ partnerId: partner.id, resource })
  const editor =
    at && may(c, 'settings.partners.read')
      ? isKept
        ? { path: `${at}?document=${request_id}`, text: 'Open in the mapping editor' }
        : { path: at, text: 'Mapping' }
      : null
  const isSendable = isKept && !isDelivery(path)
  const sendAgain =
    isSendable && maySendAgain(c) && hasFailed(request)
      ? `${requestPath(request_id)}send-again/`
      : null
  // Only the body of a POST or PUT is mapped.
  const isMapped = editor !== null && ['POST', 'PUT'].includes(request.method)
  if (hasWaited(request)) return { text: WAITS, editor, sendAgain }
  const text = isTemporary(request.status)
    ? `The request is not at fault. Its sender sends it again, unchanged${sendAgain ? ', or you do' : ''}.`
    : stepsOf(isMapped, sendAgain !== null)
  return { text, editor, sendAgain }
}

const WAITS =
  'The delivery is kept, and its sender need not send it again. Crossdock applies it once what it needs is there: a product, a location, another mapping, or the end of a pause.'

/** The same request may succeed later. */
function isTemporary(status: number): boolean {
  return isUnanswered(status) || status === 429
}

function stepsOf(isMapped: boolean, isSendable: boolean): string {
  if (isMapped && isSendable)
    return 'If the mapping reads the document wrongly, correct the mapping. If a product or location is missing, create it. Then send the document again.'
  if (isSendable)
    return 'If a product or location is missing, create it, and send the document again. If the document is wrong, its sender corrects it.'
  if (isMapped)
    return 'If the mapping reads the document wrongly, correct the mapping. Then the partner sends the document again.'
  return 'The sender corrects the request and sends it again.'
}

function EditorLink({ way: { editor } }: { way: WayOut }) {
  return editor && <a href={editor.path}>{editor.text}</a>
}

/** The first fault of a request that failed, and what to do about it. The buttons are the children. */
function Outcome(props: PropsWithChildren<OutcomeProps>) {
  const { request, faults, wayOut, children } = props
  const [first, ...others] = faults
  return (
    <section class="outcome">
      <p class="form-error">
        {first === undefined || first.at === '' ? (
          (request.message ?? `The request was refused (${request.status}).`)
        ) : (
          <>
            <code>{first.at}</code> {first.messages.join(' ')}
          </>
        )}
        {others.length > 0 && ` And ${count(others.length)} more, below.`}
      </p>
      <p>{wayOut}</p>
      {children}
    </section>
  )
}
