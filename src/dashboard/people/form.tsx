import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { ROLE_NAMES, ROLES, type Role } from '../../engine/identity/roles.ts'
import { byName } from '../../engine/json/by-name.ts'
import { mayGrant } from '../access.ts'
import type { Form } from '../form/form.ts'
import type { Shape } from '../form/shape.ts'
import { VERSION } from '../form/version.tsx'
import { Input } from '../parts/input.tsx'
import { same } from '../parts/option.ts'
import { Select } from '../parts/select.tsx'
import { TimeInput } from '../ranges/time-input.tsx'

export const NEW_PERSON_FORM: Shape = { fields: ['name', 'email', 'role', 'expires_at'] }
export const PERSON_FORM: Shape = { fields: ['name', 'role', 'expires_at', VERSION] }

const FIELDS = ['name', 'email', 'role', 'expires_at', VERSION] as const

/** `version` is empty for a new person, and `email` for one who is there: the address never changes. */
export type PersonFields = Record<(typeof FIELDS)[number], string>

export const NEW_PERSON: PersonFields = { ...byName(FIELDS, () => ''), role: 'viewer' }

/** What each role may do, in a sentence. */
const MAY: Record<Role, string> = {
  owner: 'everything',
  manager: 'records, partners, mappings, webhooks and keys; neither people nor the workspace',
  operator: 'records and deliveries; sees partners and the audit log',
  viewer: 'sees everything but documents and people, and changes nothing',
}

export function personFieldsOf(form: Form): PersonFields {
  return byName(FIELDS, (name) => form.text(name))
}

/** The form as input for the bodies of Person. */
export function personInput(form: Form) {
  return {
    name: form.text('name'),
    ...(form.has('email') && { email: form.text('email') }),
    ...(form.text('role') !== '' && { role: form.text('role') }),
    expires_at: form.optional('expires_at'),
  }
}

interface InputsProps {
  c: Context<AppEnv>
  fields: PersonFields
  error: ApiError | null
  isNew: boolean
}

export function PersonInputs({ c, fields, error, isNew }: InputsProps) {
  const control = (name: keyof PersonFields) => ({ name, error, value: fields[name] })
  const granted = ROLE_NAMES.filter((role) => role === fields.role || mayGrant(c, ROLES[role]))
  const options = granted.map(same)
  return (
    <>
      <Input label="Name" {...control('name')} required help="The audit log shows it." />
      {isNew && (
        <Input
          label="E-mail address"
          {...control('email')}
          required
          help="The address that Cloudflare Access confirms when this person opens the dashboard."
        />
      )}
      <Select
        label="Role"
        {...control('role')}
        options={fields.role === '' ? [['', 'as it is'], ...options] : options}
        help={granted.map((role) => `${role}: ${MAY[role]}.`).join(' ')}
      />
      <TimeInput label="Access ends (UTC)" {...control('expires_at')} />
    </>
  )
}
