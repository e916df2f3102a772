import type { Context } from 'hono'
import { Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError } from '../../engine/errors.ts'
import { logOf } from '../../engine/exchange/log.ts'
import { notForPartners } from '../../middleware/document-access.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { findRequest } from '../../requests/audit-log/log.ts'
import { requireSendAgain } from '../../requests/send-again/access.ts'
import { findOriginal, type Original } from '../../requests/send-again/original.ts'
import { sendAgain } from '../../requests/send-again/send.ts'
import { formOf } from '../form/read.ts'
import { CONFIRMED, type Shape } from '../form/shape.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { Time } from '../parts/time.tsx'
import { requestPath } from '../paths.ts'
import { RecordOf } from '../records/of-requests.tsx'
import { redirectDone } from '../shell/notice.ts'
import { showPage } from '../shell/page.tsx'
import { RequestLink } from './related.tsx'

const SENDING: Shape = { fields: [CONFIRMED], groups: [{ names: ['force'], max: 1 }] }

/** Below the page of a request. */
export const sendingAgain = new Hono<AppEnv>()

sendingAgain.use(
  '/:id/send-again/',
  requireScope('settings.audit.read'),
  requireScope('settings.documents.read'),
  requireSendAgain,
  notForPartners,
)

sendingAgain.get('/:id/send-again/', (c) => showSending(c, c.req.param('id'), null))

sendingAgain.post('/:id/send-again/', async (c) => {
  const id = c.req.param('id')
  const form = await formOf(c, SENDING, (_, error) => showSending(c, id, error))
  const { response } = await sendAgain(c, id, { force: form.has('force') })
  await response.body?.cancel()
  const request_id = response.headers.get('X-Request-Id') ?? ''
  c.get('exchange').record_id = request_id
  return redirectDone(c, requestPath(request_id), 'sent-again')
})

async function showSending(c: Context<AppEnv>, id: string, error: ApiError | null) {
  const { method, path, record_name, partner } = await findRequest(logOf(c), id)
  const original = await originalOf(c, id)
  const isRefused = original instanceof ApiError
  return showPage(
    c,
    'Send again',
    <Confirmation
      question={`Send ${method} ${path} again?`}
      action="Send again"
      back={requestPath(id)}
      error={error ?? (isRefused ? original : null)}
    >
      {!isRefused && <Warning c={c} original={original} />}
      <p>
        Crossdock sends the document{record_name !== null && ` of ${record_name}`} once more
        {partner && `, in place of ${partner.name}`}, with today's mapping and settings. The audit
        log names your key.
      </p>
      {!isRefused && <Force original={original} />}
    </Confirmation>,
  )
}

/** The request, or why it cannot be sent again. */
async function originalOf(c: Context<AppEnv>, id: string): Promise<Original | ApiError> {
  return await findOriginal(c.get('db'), id).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'SERVICE_ERROR') return error
    throw error
  })
}

function Warning({ c, original }: { c: Context<AppEnv>; original: Original }) {
  const { accepted, isSuperseded } = original
  if (accepted) {
    return (
      <p class="form-error">
        The same was accepted before, in <RequestLink request={accepted} text="a request" /> of{' '}
        <Time at={accepted.created_at} seconds />
        <RecordOf c={c} request={accepted} before=": " />. Sent once more, it may create a second
        record.
      </p>
    )
  }
  return isSuperseded ? (
    <p class="form-error">
      A later request has changed the same record, or has uploaded stock. Sent again, this one would
      undo that.
    </p>
  ) : null
}

/** A browser asks for it where the request would be refused without it. */
function Force({ original: { accepted, isSuperseded } }: { original: Original }) {
  return (
    <label>
      <input type="checkbox" name="force" required={accepted !== null || isSuperseded} />{' '}
      {accepted
        ? 'Send it all the same, even if that creates a second record'
        : 'Send it even if a later request has changed the same record or uploaded stock'}
    </label>
  )
}
