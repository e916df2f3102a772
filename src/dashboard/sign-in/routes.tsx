import { type Context, Hono } from 'hono'
import type { AppEnv } from '../../env.ts'
import type { ApiError } from '../../errors.ts'
import { signInLimit } from '../../middleware/payload.ts'
import { FormError } from '../controls.tsx'
import { formOf } from '../form.ts'
import { redirectDone } from '../notice.ts'
import { showPage } from '../page.tsx'
import { signIn, signOut } from '../session.ts'

export const signInPages = new Hono<AppEnv>()

signInPages.get('/sign-in/', (c) => showSignIn(c, null))

signInPages.post('/sign-in/', signInLimit, async (c) => {
  const form = await formOf(c, (_, error) => showSignIn(c, error))
  await signIn(c, form.text('key'))
  return c.redirect(nextOf(c), 303)
})

signInPages.post('/sign-out/', (c) => {
  signOut(c)
  return redirectDone(c, '/dashboard/sign-in/', 'signed-out')
})

/** Where the visitor wanted to go; a page of the dashboard and nothing else. */
function nextOf(c: Context<AppEnv>): string {
  const next = c.req.query('next') ?? ''
  return /^\/dashboard\/(?!.*(?:\.\.|\/\/))[\w./?&=%:~-]*$/.test(next) ? next : '/dashboard/'
}

function showSignIn(c: Context<AppEnv>, error: ApiError | null) {
  return showPage(
    c,
    'Sign in',
    <article class="sign-in">
      <h1>Crossdock</h1>
      <FormError error={error} />
      <form method="post">
        <div class="field">
          <label for="key">Settings key</label>
          <input
            id="key"
            type="password"
            name="key"
            required
            autofocus
            autocomplete="current-password"
            spellcheck={false}
            placeholder="xd_…"
            aria-invalid={error ? 'true' : undefined}
            aria-describedby="key-help"
          />
          <small class="help" id="key-help">
            An API key with the scope <code>settings.read</code>; to change anything, also{' '}
            <code>settings.write</code>. You stay signed in for 8 hours.
          </small>
        </div>
        <button type="submit">Sign in</button>
      </form>
      <p>
        <a href="/docs/">API reference</a>
      </p>
    </article>,
  )
}
