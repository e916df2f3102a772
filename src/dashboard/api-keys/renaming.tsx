import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { beyondOwn, type GrantedKey } from '../access.ts'
import type { Form } from '../form/form.ts'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Input } from '../parts/input.tsx'
import { API_KEYS_PATH } from '../paths.ts'
import { showPage } from '../shell/page.tsx'

interface KeyRecord extends GrantedKey {
  hint: string
}

/** Whether the rename form was sent: the full form of a key has an `access` field. */
export function isRenaming(form: Form): boolean {
  return !form.has('access')
}

/** The form for a key that the session's key may not grant. It changes only the name. */
export function showRenaming(
  c: Context<AppEnv>,
  record: KeyRecord,
  name: string,
  error: ApiError | null,
) {
  return showPage(
    c,
    'Rename API key',
    <article class="narrow">
      <h1>Rename API key</h1>
      <p>
        <code>{record.hint}</code> {reasonFor(c, record)} You can only rename or revoke it.
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
        <FormButtons action="Save" back={API_KEYS_PATH} />
      </form>
    </article>,
  )
}

function reasonFor(c: Context<AppEnv>, { scopes, partner_id }: KeyRecord): string {
  const { partner } = c.get('caller')
  return partner && partner.id !== partner_id
    ? `is not linked to the partner of your own key, ${partner.name}.`
    : `has scopes that your own key does not hold: ${beyondOwn(c, scopes).join(', ')}.`
}
