import type { Context } from 'hono'
import { refuseRedacted } from '../../engine/body/refuse-redacted.ts'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError, lacksScope } from '../../engine/errors.ts'
import { act } from '../../engine/exchange/acting.ts'
import { DRY_RUN } from '../../engine/exchange/dry-run.ts'
import { covers } from '../../engine/identity/scopes.ts'
import { type FoundDocument, findDocument } from '../../engine/log/documents/read.ts'
import type { RelatedRequest } from '../../engine/log/related.ts'
import { documentsOf, memoryFor } from '../../middleware/document-access.ts'
import { cannotSendAgain, findOriginal, type Original } from './original.ts'
import type { SendAgain } from './schema.ts'

/** An answer that is longer is not shown. */
const ANSWER_BYTES_MAX = 1024 * 1024

/** What was sent, whose answer is still to be read. */
export interface Sending {
  replay_of: string
  response: Response
}

/**
 * The result, with the answer as JSON. That is null if it has more than 1 MB, or cannot be read: the request has been sent
 * all the same.
 */
export async function answered({ replay_of, response }: Sending) {
  return {
    request_id: response.headers.get('X-Request-Id') ?? '',
    status: response.status,
    answer: await answerOf(response).catch(() => null),
    replay_of,
  }
}

/**
 * Sends the kept document of a failed request once more, with the mapping and the settings of now. 400
 * SERVICE_ERROR if it would undo a later change, or if it was accepted before (`force` sends it all the same), or if
 * the mapping reads a place that was redacted; 403 SCOPE_MISSING if the caller's key lacks the scope of the request itself; 404 if there is
 * no document. Nothing is sent then. With a `request_id`, the request gets this id: with the same one it is applied
 * at most once.
 */
export async function sendAgain(
  c: Context<AppEnv>,
  id: string,
  { force, as }: SendAgain,
  request_id?: string,
): Promise<Sending> {
  const original = await findOriginal(c.get('db'), id, as)
  const { scope } = original
  if (!covers(c.get('caller').key.scopes, scope)) {
    throw lacksScope(scope)
  }
  const isChange = as === 'change'
  if (isChange && original.record === null)
    throw cannotSendAgain(id, 'is not to create a record of its partner that is there')
  if (original.accepted && !isChange && !force) {
    throw superseded(id, acceptedBefore(original.accepted))
  }
  if (original.isSuperseded && !force) throw superseded(id, CHANGED_SINCE)
  const document = await findDocument(documentsOf(c), id, memoryFor(c))
  refuseRedacted(document, original.inbound)
  return await send(c, isChange ? asChange(original) : original, document, request_id)
}

/** By our own id, whatever the partner calls it. */
function asChange({ path, record, ...original }: Original): Sent {
  return { ...original, method: 'PUT', path: `${path}${record}/`, identifier_field: 'id' }
}

type Sent = Omit<Original, 'record'> & { identifier_field?: 'id' }

async function send(
  c: Context<AppEnv>,
  original: Sent,
  document: FoundDocument,
  request_id: string | undefined,
): Promise<Sending> {
  const { method, path, partner_id, api_key_id, identifier_field } = original
  const body = Buffer.from(document.body, document.encoding === 'base64' ? 'base64' : 'utf-8')
  const headers = new Headers({ 'Content-Length': String(body.length) })
  if (document.content_type !== null) headers.set('Content-Type', document.content_type)
  const url = new URL(path, c.req.url)
  if (c.get('exchange').dry_run) url.search = DRY_RUN
  const request = new Request(url, { method, headers, body })
  const replay_of = original.request_id
  const response = await act(c, request, {
    actedFor: { partner_id, api_key_id },
    replay_of,
    redacted: document.redacted,
    request_id,
    ...(identifier_field && { identifier_field }),
  })
  return { replay_of, response }
}

/** The answer as JSON; null if it has more than 1 MB. */
export async function answerOf({ body }: Response): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > ANSWER_BYTES_MAX) return null
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString())
}

const CHANGED_SINCE =
  'a later request has changed the same record, or has uploaded stock, and this one would undo that'

function acceptedBefore({ request_id, record_name }: RelatedRequest): string {
  const about = record_name === null ? '' : ` for "${record_name}"`
  return `the request "${request_id}" has brought the same, and was accepted${about}. Sent once more, it may create a second record`
}

function superseded(id: string, why: string): ApiError {
  const message = `The request "${id}" was not sent: ${why}. To send it all the same, send it alone and force it ("force": true).`
  return new ApiError('SERVICE_ERROR', message, { reason: 'SUPERSEDED' })
}
