import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { FormError } from '../parts/form-error.tsx'
import { showPage } from '../shell/page.tsx'

export function showSignIn(c: Context<AppEnv>, error: ApiError | null) {
  return showPage(
    c,
    'Sign in',
    <article class="sign-in">
      <h1>Crossdock</h1>
      <FormError error={error} />
      <form method="post">
        <div class="field">
          <label for="key">API key</label>
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
            An API key with a scope that reads, such as <code>settings.read</code> or{' '}
            <code>integrations.orders.read</code>: it opens the pages that its scopes may see.
            Making changes also requires the scope of the change. You stay signed in for 8 hours.
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
