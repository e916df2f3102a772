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
import type { SEND_AS } from '../../requests/send-again/schema.ts'
import { sendAgain } from '../../requests/send-again/send.ts'
import { may } from '../access.ts'
import { formOf } from '../form/read.ts'
import { CONFIRMED, type Shape } from '../form/shape.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { Time } from '../parts/time.tsx'
import { recordPath, requestPath } from '../paths.ts'
import { RecordOf } from '../records/of-requests.tsx'
import { redirectDone } from '../shell/notice.ts'
import { showPage } from '../shell/page.tsx'
import { RequestLink } from './related.tsx'

type SendAs = (typeof SEND_AS)[number]

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
  const { response } = await sendAgain(c, id, { force: form.has('force'), as: asAsked(c) })
  await response.body?.cancel()
  const request_id = response.headers.get('X-Request-Id') ?? ''
  c.get('exchange').record_id = request_id
  return redirectDone(c, requestPath(request_id), 'sent-again')
})

/** The address says it, so that the form goes there too. */
function asAsked(c: Context<AppEnv>) {
  return c.req.query('as') === 'change' ? 'change' : 'sent'
}

async function showSending(c: Context<AppEnv>, id: string, error: ApiError | null) {
  const { method, path, record_name, partner } = await findRequest(logOf(c), id)
  const as = asAsked(c)
  const original = await originalOf(c, id, as)
  const isRefused = original instanceof ApiError
  return showPage(
    c,
    'Send again',
    <Confirmation
      question={
        as === 'change'
          ? `Send the document of ${method} ${path} as a change?`
          : `Send ${method} ${path} again?`
      }
      action={as === 'change' ? 'Send as a change' : 'Send again'}
      back={requestPath(id)}
      error={error ?? (isRefused ? original : null)}
    >
      {!isRefused && <Existing c={c} id={id} as={as} original={original} name={record_name} />}
      {!isRefused && <Warning c={c} original={original} as={as} />}
      <p>
        Crossdock sends the document{record_name !== null && ` of ${record_name}`} once more
        {partner && `, in place of ${partner.name}`}, with today's mapping and settings. The audit
        log names your key.
      </p>
      {!isRefused && <Force original={original} as={as} />}
    </Confirmation>,
  )
}

/** The request, or why it cannot be sent again. */
async function originalOf(
  c: Context<AppEnv>,
  id: string,
  as: SendAs,
): Promise<Original | ApiError> {
  return await findOriginal(c.get('db'), id, as).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'SERVICE_ERROR') return error
    throw error
  })
}

interface ExistingProps {
  c: Context<AppEnv>
  id: string
  as: SendAs
  original: Original
  name: string | null
}

/** The record that the document is about, where it is there. To change it makes no second one. */
function Existing({ c, id, as, original: { record, resource }, name }: ExistingProps) {
  if (record === null || resource === 'inventory') return null
  const one = resource.slice(0, -1)
  const link = may(c, `integrations.${resource}.read`) ? (
    <a href={recordPath(resource, record)}>{name}</a>
  ) : (
    name
  )
  if (as === 'change') {
    return (
      <p>
        The {one} {link} gets the values of this document.
        {resource === 'orders' && ' Its lines stay: they cannot change.'}
      </p>
    )
  }
  return (
    <p class="form-error">
      The {one} {link} is there already, so it cannot be created once more.{' '}
      <a href={`${requestPath(id)}send-again/?as=change`}>Send again as a change</a>
    </p>
  )
}

interface WarningProps {
  c: Context<AppEnv>
  original: Original
  as: SendAs
}

function Warning({ c, original, as }: WarningProps) {
  const { accepted, isSuperseded } = original
  if (accepted && as === 'sent') {
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
function Force({ original: { accepted: found, isSuperseded }, as }: Omit<WarningProps, 'c'>) {
  const accepted = as === 'sent' ? found : null
  return (
    <label>
      <input type="checkbox" name="force" required={accepted !== null || isSuperseded} />{' '}
      {accepted
        ? 'Send it all the same, even if that creates a second record'
        : 'Send it even if a later request has changed the same record or uploaded stock'}
    </label>
  )
}
