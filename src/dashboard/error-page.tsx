import type { Context } from 'hono'
import { inTime } from '../deadline.ts'
import type { AppEnv } from '../env.ts'
import { announceError } from '../envelope.ts'
import type { ApiError, ErrorCode } from '../errors.ts'
import { hideKeys } from '../identity/key.ts'
import { showPage } from './page.tsx'

// The database may have kept this request waiting long enough.
const FORM_MS_MAX = 5000
const SIGNED_OUT = new Set<ErrorCode>(['KEY_MISSING', 'KEY_INVALID', 'KEY_EXPIRED'])

/**
 * An error as a page: the form that was sent with what is wrong in it, the way to sign in, or else
 * what went wrong and where to go from here.
 */
export async function errorPage(c: Context<AppEnv>, error: ApiError): Promise<Response> {
  const status = announceError(c, error)
  const showForm = c.get('showForm')
  c.status(status)
  if (showForm) {
    // What the form needs beside its own fields may be out of reach as well.
    const shown = await inTime(Promise.resolve(showForm(error)), FORM_MS_MAX).catch(() => null)
    if (shown) return shown
  }
  if (SIGNED_OUT.has(error.code)) return toSignIn(c)
  return await showPage(c, 'Error', <ErrorContent c={c} error={error} />)
}

function toSignIn(c: Context<AppEnv>): Response {
  const { url } = c.get('exchange')
  // A form is sent to the address of its own page, a preview to one below.
  const page = url.pathname.replace(/preview\/$/, '')
  const next = c.req.method === 'GET' ? url.pathname + url.search : page
  return c.redirect(`/dashboard/sign-in/?next=${encodeURIComponent(next)}`, 303)
}

function ErrorContent({ c, error }: { c: Context<AppEnv>; error: ApiError }) {
  return (
    <article class="refusal">
      <h1>{hideKeys(error.message)}</h1>
      <p>
        <a href="/dashboard/">Back to the overview</a>, or{' '}
        <a href="/dashboard/sign-in/">sign in with another key</a>.
      </p>
      <p>
        <small>
          {error.code} · request {c.get('exchange').request_id}
        </small>
      </p>
    </article>
  )
}
