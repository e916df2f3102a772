import type { Context } from 'hono'
import { announceError } from '../engine/answers/envelope.ts'
import type { AppEnv } from '../engine/env.ts'
import type { ApiError, ErrorCode } from '../engine/errors.ts'
import { hideKeys } from '../engine/identity/key.ts'
import { inTime } from '../engine/limits/deadline.ts'
import { addressedTo, homeOf } from './access.ts'
import { Grantors, grantorsOf } from './shell/grantors.tsx'
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
  // The audit log has the message of the API.
  const told = error.withMessage(addressedTo(c, error.message))
  const showForm = c.get('showForm')
  c.status(status)
  if (showForm) {
    // The form may need the database, which may be what failed.
    const shown = await inTime(Promise.resolve(showForm(told)), FORM_MS_MAX).catch(() => null)
    if (shown) return shown
  }
  if (SIGNED_OUT.has(error.code)) return toSignIn(c)
  const { scope } = error.details
  const isInside = isSignedIn(c)
  const isPerson = isInside && c.get('caller').key.is_person
  return await showPage(
    c,
    'Error',
    <article class="refusal">
      <h1>{hideKeys(told.message)}</h1>
      {scope !== undefined && isInside && (
        <Grantors c={c} scope={scope} grantors={await grantorsOf(c, scope)} />
      )}
      <p>
        <a href={isInside ? homeOf(c) : '/dashboard/'}>Back to the dashboard</a>, or{' '}
        <a href="/dashboard/sign-in/">sign in with {isPerson ? 'an API key' : 'another key'}</a>.
      </p>
      <p>
        <small>
          {told.code} · request {c.get('exchange').request_id}
        </small>
      </p>
    </article>,
  )
}

function toSignIn(c: Context<AppEnv>): Response {
  const { url } = c.get('exchange')
  // A form posts to its own page; only what is tried is posted to a path below it.
  const page = url.pathname.replace(/(preview|replay|apply)\/$/, '')
  const next = c.req.method === 'GET' ? url.pathname + url.search : page
  return c.redirect(`/dashboard/sign-in/?next=${encodeURIComponent(next)}`, 303)
}

function isSignedIn(c: Context<AppEnv>): boolean {
  return Boolean(c.get('caller'))
}
