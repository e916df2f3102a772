import type { ApiError } from '../../errors.ts'
import { FormButtons, FormError, Input, Select } from '../controls.tsx'
import type { Form } from '../form.ts'
import { fieldTime } from '../time.tsx'
import { type Access, accessIn, accessOf, ScopesFieldset, scopesOf } from './scopes.tsx'

/** What the form of a key holds, as its fields have it. */
export interface KeyFields {
  name: string
  access: Access
  scopes: readonly string[]
  partner_id: string
  /** As `datetime-local` has it, in UTC; empty for never. */
  expires_at: string
}

export const NEW_KEY: KeyFields = {
  name: '',
  access: 'full',
  scopes: [],
  partner_id: '',
  expires_at: '',
}

interface KeyRecord {
  name: string
  scopes: string[]
  partner_id: string | null
  expires_at: string | null
}

export function fieldsOfRecord({ name, scopes, partner_id, expires_at }: KeyRecord): KeyFields {
  return {
    name,
    access: accessOf(scopes),
    scopes,
    partner_id: partner_id ?? '',
    expires_at: fieldTime(expires_at ?? ''),
  }
}

export function fieldsOfForm(form: Form): KeyFields {
  return {
    name: form.text('name'),
    access: accessIn(form),
    scopes: form.all('scopes'),
    partner_id: form.text('partner_id'),
    expires_at: form.text('expires_at'),
  }
}

/** What the settings queries take, once it is checked. */
export function inputOfForm(form: Form) {
  return {
    name: form.text('name'),
    scopes: scopesOf(form),
    partner_id: form.optional('partner_id'),
    expires_at: form.optional('expires_at'),
  }
}

interface KeyFormProps {
  fields: KeyFields
  partners: readonly { id: string; name: string }[]
  error: ApiError | null
  action: string
}

export function KeyForm({ fields, partners, error, action }: KeyFormProps) {
  const options = partners.map(({ id, name }) => [id, name] as const)
  const isListed = options.some(([id]) => id === fields.partner_id) || fields.partner_id === ''
  const unlisted = isListed ? [] : [[fields.partner_id, `Unchanged: ${fields.partner_id}`] as const]
  return (
    <form method="post">
      <FormError error={error} />
      <Input
        label="Name"
        name="name"
        value={fields.name}
        error={error}
        required
        help="Who or what uses it: the audit log shows this name."
      />
      <ScopesFieldset access={fields.access} scopes={fields.scopes} error={error} />
      <Select
        label="Partner"
        name="partner_id"
        value={fields.partner_id}
        options={[
          ['', 'None: a pass-through key, which speaks our own schema'],
          ...unlisted,
          ...options,
        ]}
        error={error}
        help="A partner's mappings and identifiers hold for its keys."
      />
      <Input
        label="Expires (UTC)"
        name="expires_at"
        type="datetime-local"
        step="any"
        value={fields.expires_at}
        error={error}
        help="Leave empty for a key that does not expire."
      />
      <FormButtons action={action} back="/dashboard/api-keys/" />
    </form>
  )
}
