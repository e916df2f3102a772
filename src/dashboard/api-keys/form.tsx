import type { ApiError } from '../../errors.ts'
import { CURRENT } from '../../releases/release.ts'
import { RATE_LIMIT_MAX } from '../../settings/api-keys/schema.ts'
import { FormButtons, FormError, Input, Select } from '../controls.tsx'
import type { Form } from '../form.ts'
import { count } from '../numbers.ts'
import { fieldTime } from '../time.tsx'
import { ReleaseSelect } from './release.tsx'
import { type Access, accessIn, accessOf, ScopesFieldset, scopesOf } from './scopes.tsx'

/** What the form of a key holds, as its fields have it. */
export interface KeyFields {
  name: string
  access: Access
  scopes: readonly string[]
  partner_id: string
  release: string
  /** Empty for as many as it likes. */
  rate_limit: string
  /** As `datetime-local` has it, in UTC; empty for never. */
  expires_at: string
}

export const NEW_KEY: KeyFields = {
  name: '',
  access: 'full',
  scopes: [],
  partner_id: '',
  release: CURRENT.name,
  rate_limit: '',
  expires_at: '',
}

interface KeyRecord {
  name: string
  scopes: string[]
  partner_id: string | null
  release: string
  rate_limit: number | null
  expires_at: string | null
}

export function fieldsOfRecord(key: KeyRecord): KeyFields {
  return {
    name: key.name,
    access: accessOf(key.scopes),
    scopes: key.scopes,
    partner_id: key.partner_id ?? '',
    release: key.release,
    rate_limit: key.rate_limit?.toString() ?? '',
    expires_at: fieldTime(key.expires_at ?? ''),
  }
}

export function fieldsOfForm(form: Form): KeyFields {
  return {
    name: form.text('name'),
    access: accessIn(form),
    scopes: form.all('scopes'),
    partner_id: form.text('partner_id'),
    release: form.text('release') || CURRENT.name,
    rate_limit: form.text('rate_limit'),
    expires_at: form.text('expires_at'),
  }
}

/**
 * What the settings queries take, once it is checked. A page that was loaded before there were
 * releases and rate limits leaves them as they are.
 */
export function inputOfForm(form: Form) {
  return {
    name: form.text('name'),
    scopes: scopesOf(form),
    partner_id: form.optional('partner_id'),
    release: form.text('release') || undefined,
    rate_limit: form.has('rate_limit') ? form.number('rate_limit') : undefined,
    expires_at: form.optional('expires_at'),
  }
}

interface KeyFormProps {
  fields: KeyFields
  partners: readonly Partner[]
  error: ApiError | null
  action: string
}

interface Partner {
  id: string
  name: string
}

export function KeyForm({ fields, partners, error, action }: KeyFormProps) {
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
      <PartnerSelect value={fields.partner_id} partners={partners} error={error} />
      <ReleaseSelect value={fields.release} error={error} />
      <Input
        label="Requests a minute"
        name="rate_limit"
        type="number"
        min={1}
        max={RATE_LIMIT_MAX}
        value={fields.rate_limit}
        error={error}
        help={`1 to ${count(RATE_LIMIT_MAX)}; what goes beyond is refused with 429. Leave empty for no limit.`}
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

interface PartnerSelectProps {
  value: string
  partners: readonly Partner[]
  error: ApiError | null
}

function PartnerSelect({ value, partners, error }: PartnerSelectProps) {
  const options = partners.map(({ id, name }) => [id, name] as const)
  const isListed = options.some(([id]) => id === value) || value === ''
  const unlisted = isListed ? [] : [[value, `Unchanged: ${value}`] as const]
  return (
    <Select
      label="Partner"
      name="partner_id"
      value={value}
      options={[
        ['', 'None: a pass-through key, which speaks our own schema'],
        ...unlisted,
        ...options,
      ]}
      error={error}
      help="A partner's mappings and identifiers hold for its keys."
    />
  )
}
