import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import type { ApiError } from '../../errors.ts'
import { beyondOwn } from '../access.ts'
import { FormButtons } from '../controls/form-buttons.tsx'
import { FormError } from '../controls/form-error.tsx'
import { Input } from '../controls/input.tsx'
import type { Form } from '../form/form.ts'
import { showPage } from '../layout/page.tsx'
import { LIST } from './path.ts'

interface KeyRecord {
  hint: string
  scopes: readonly string[]
}

/** Whether the rename form was sent: the full form of a key has an `access` field. */
export function isRenaming(form: Form): boolean {
  return !form.has('access')
}

/** The form for a key with scopes that the session's key does not hold. It changes only the name. */
export function showRenaming(
  c: Context<AppEnv>,
  { hint, scopes }: KeyRecord,
  name: string,
  error: ApiError | null,
) {
  return showPage(
    c,
    'Rename API key',
    <article class="narrow">
      <h1>Rename API key</h1>
      <p>
        <code>{hint}</code> has scopes that your own key does not hold:{' '}
        {beyondOwn(c, scopes).join(', ')}. You can only rename or revoke it.
      </p>
      <form method="post">
        <FormError error={error} />
        <Input
          label="Name"
          name="name"
          value={name}
          error={error}
          required
          help="Who or what uses the key. The audit log shows this name."
        />
        <FormButtons action="Save" back={LIST} />
      </form>
    </article>,
  )
}
