import type { Context } from 'hono'
import { announceError } from '../engine/answers/envelope.ts'
import type { AppEnv } from '../engine/env.ts'
import type { ApiError, ErrorCode } from '../engine/errors.ts'
import { hideKeys } from '../engine/identity/key.ts'
import { inTime } from '../engine/limits/deadline.ts'
import { homeOf } from './access.ts'
import { showPage } from './shell/page.tsx'

// The request may already have waited for the database up to its deadline.
const FORM_MS_MAX = 5000
const SIGNED_OUT = new Set<ErrorCode>(['KEY_MISSING', 'KEY_INVALID', 'KEY_EXPIRED'])

/**
 * Shows an error as a page: the submitted form with its errors, else the sign-in page if nobody is signed
 * in, else the error message.
 */
export async function errorPage(c: Context<AppEnv>, error: ApiError): Promise<Response> {
  const status = announceError(c, error)
  const showForm = c.get('showForm')
  c.status(status)
  if (showForm) {
    // The form may need the database, which may be what failed.
    const shown = await inTime(Promise.resolve(showForm(error)), FORM_MS_MAX).catch(() => null)
    if (shown) return shown
  }
  if (SIGNED_OUT.has(error.code)) return toSignIn(c)
  return await showPage(c, 'Error', <ErrorContent c={c} error={error} />)
}

function toSignIn(c: Context<AppEnv>): Response {
  const { url } = c.get('exchange')
  // A form posts to its own page; only what is tried is posted to a path below it.
  const page = url.pathname.replace(/(preview|replay|apply)\/$/, '')
  const next = c.req.method === 'GET' ? url.pathname + url.search : page
  return c.redirect(`/dashboard/sign-in/?next=${encodeURIComponent(next)}`, 303)
}

function ErrorContent({ c, error }: { c: Context<AppEnv>; error: ApiError }) {
  return (
    <article class="refusal">
      <h1>{hideKeys(error.message)}</h1>
      <p>
        <a href={c.get('caller') ? homeOf(c) : '/dashboard/'}>Back to the dashboard</a>, or{' '}
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
