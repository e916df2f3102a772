import { type Context, Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { homeOf, maySeePage } from '../access.ts'
import { formOf } from '../form/read.ts'
import { CONFIRMATION, type Shape } from '../form/shape.ts'
import { redirectDone } from '../shell/notice.ts'
import { visitorOf } from './cloudflare-access.ts'
import { showSignIn } from './page.tsx'
import { signIn, signInVisitor, signOut } from './session.ts'

// Anybody can send this form, without a key.
const SIGN_IN: Shape = { fields: ['key'], bytesMax: 16 * 1024 }
// The segments of page paths are words and ids, which need no encoding.
const PAGE_PATH = /^\/dashboard\/(?:[\w-]+\/)*$/

export const signInPages = new Hono<AppEnv>()

// Whom Cloudflare Access has let through is signed in at once, unless he has just signed out.
signInPages.get('/sign-in/', async (c) => {
  c.set('showForm', (error) => showSignIn(c, error))
  const visitor = c.req.query('done') === undefined ? await visitorOf(c) : null
  if (!visitor) return showSignIn(c, null)
  await signInVisitor(c, visitor)
  return c.redirect(nextOf(c), 303)
})

signInPages.post('/sign-in/', async (c) => {
  const form = await formOf(c, SIGN_IN, (_, error) => showSignIn(c, error))
  await signIn(c, form.text('key'))
  return c.redirect(nextOf(c), 303)
})

signInPages.post('/sign-out/', async (c) => {
  await formOf(c, CONFIRMATION, (_, error) => showSignIn(c, error))
  await signOut(c)
  return redirectDone(c, '/dashboard/sign-in/', 'signed-out')
})

/**
 * The page that the visitor wanted to open, if it is one of the dashboard that the key may see. Checks the parsed URL, because a
 * browser resolves dots, backslashes and control characters too.
 */
function nextOf(c: Context<AppEnv>): string {
  const { origin } = c.get('exchange').url
  const next = URL.parse(c.req.query('next') ?? '', origin)
  const isPage = next?.origin === origin && PAGE_PATH.test(next.pathname)
  return isPage && maySeePage(c, next.pathname) ? next.pathname + next.search : homeOf(c)
}
