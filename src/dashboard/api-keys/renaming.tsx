import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { beyondOwn, type GrantedKey } from '../access.ts'
import { conflictOf, FormHead } from '../changed/conflict.tsx'
import type { Form } from '../form/form.ts'
import { VERSION } from '../form/version.tsx'
import { FormButtons } from '../parts/form-buttons.tsx'
import { Input } from '../parts/input.tsx'
import { showNarrowPage } from '../shell/narrow-page.tsx'
import type { KeyPages, ShownKey } from './key-pages.ts'

/** The form for a key that the session's key may not grant. It changes only the name. `sent` is null if it was not sent. */
export async function showRenaming<Shown extends ShownKey>(
  c: Context<AppEnv>,
  of: KeyPages<Shown>,
  record: Shown,
  sent: Form | null,
  error: ApiError | null,
) {
  const now = { name: record.name, version: String(record.version) }
  const given = sent ? { name: sent.text('name'), version: sent.text(VERSION) } : now
  const parts = { now, sent: given, formerOf: of.formerOf }
  const conflict = await conflictOf(c, error, { record_id: record.id }, parts)
  const shown = conflict?.fields ?? given
  const title = `Rename ${of.one}`
  return showNarrowPage(
    c,
    title,
    <>
      <p>
        <code>{record.hint}</code> {reasonFor(c, of.grantedOf(record))} You can only rename, pause
        or revoke it.
      </p>
      <form method="post">
        <FormHead c={c} error={error} conflict={conflict} version={shown.version} />
        <Input
          label="Name"
          name="name"
          value={shown.name}
          error={error}
          required
          help={of.nameHelp}
        />
        <FormButtons action="Save" back={of.pageOf(record.id)} />
      </form>
    </>,
  )
}

/** Whether the form was sent that only renames. */
export function isRenaming<Shown extends ShownKey>(of: KeyPages<Shown>, form: Form): boolean {
  return !form.has(of.fieldOfWhole)
}

function reasonFor(c: Context<AppEnv>, { scopes, partner_id }: GrantedKey): string {
  const { partner } = c.get('caller')
  return partner && partner.id !== partner_id
    ? `is not linked to the partner of your own key, ${partner.name}.`
    : `has scopes that your own key does not hold: ${beyondOwn(c, scopes).join(', ')}.`
}
