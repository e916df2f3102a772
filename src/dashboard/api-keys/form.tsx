import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { GRANTABLE } from '../../engine/identity/scopes.ts'
import { may, mayGrant } from '../access.ts'
import { type Conflict, FormHead } from '../changed/conflict.tsx'
import { messagesOf } from '../parts/field.tsx'
import { FormButtons } from '../parts/form-buttons.tsx'
import { Input } from '../parts/input.tsx'
import { Select } from '../parts/select.tsx'
import { API_KEYS_PATH } from '../paths.ts'
import { type Access, CHOICES, isOffered } from './access-choice.ts'
import type { KeyChoices, KeyFields } from './fields.ts'
import { LimitInputs } from './limit-inputs.tsx'
import { type PartnerOption, PartnerSelect } from './partner-select.tsx'
import { ReleaseSelect } from './release.tsx'
import { ScopesTable } from './scopes-table.tsx'

interface ScopesProps {
  c: Context<AppEnv>
  access: Access
  scopes: readonly string[]
  error: ApiError | null
}

const NONE = 'None: a pass-through key, for documents in our own schema'

interface KeyFormProps {
  c: Context<AppEnv>
  fields: KeyFields
  partners: readonly PartnerOption[]
  error: ApiError | null
  conflict: Conflict<KeyChoices> | null
  action: string
}

export function KeyForm({ c, fields, partners, error, conflict, action }: KeyFormProps) {
  return (
    <form method="post">
      <FormHead c={c} error={error} conflict={conflict} version={fields.version} />
      <Input
        label="Name"
        name="name"
        value={fields.name}
        error={error}
        required
        help="Who or what uses the key. The audit log shows this name."
      />
      <ScopesFieldset c={c} access={fields.access} scopes={fields.scopes} error={error} />
      <PartnerSelect
        value={fields.partner_id}
        partners={partners}
        own={c.get('caller').partner}
        isBlind={!may(c, 'settings.partners.read')}
        none={NONE}
        help="The key uses its partner's mappings and identifier fields."
        error={error}
      />
      <Select
        label="Orders"
        name="own_orders_only"
        value={fields.own_orders_only}
        options={[
          ['false', 'All orders'],
          ['true', 'Only orders of its partner'],
        ]}
        error={error}
        help="Which orders the key can list, read, change and cancel. A partner's own key rarely needs more than its own."
      />
      <ReadsSelect value={fields.reads} error={error} />
      <ReleaseSelect value={fields.release} error={error} />
      <LimitInputs
        what="Requests"
        above="Requests above the limit are refused with 429."
        noun="key"
        fields={fields}
        error={error}
      />
      <FormButtons action={action} back={API_KEYS_PATH} />
    </form>
  )
}

function ReadsSelect({ value, error }: { value: string; error: ApiError | null }) {
  return (
    <Select
      label="Reads"
      name="reads"
      value={value}
      options={[
        ['primary', 'Always the newest state'],
        ['near', 'The nearest copy'],
      ]}
      error={error}
      help="The nearest copy answers faster from far away. It may miss what was written in the last 5 seconds."
    />
  )
}

/** The presets, and a table of scopes that the style sheet shows for `chosen` only. */
function ScopesFieldset({ c, access, scopes, error }: ScopesProps) {
  const messages = messagesOf(error, 'scopes')
  return (
    <fieldset
      class="scopes"
      aria-invalid={messages.length > 0 ? 'true' : undefined}
      aria-describedby={messages.length > 0 ? 'scopes-error' : undefined}
    >
      <legend>Access</legend>
      {CHOICES.map(([value, name, meaning]) => (
        <label>
          <input
            type="radio"
            name="access"
            value={value}
            checked={value === access}
            disabled={!isOffered(c, value)}
          />
          {name} <small>{meaning}</small>
        </label>
      ))}
      {messages.length > 0 && (
        <small class="field-error" id="scopes-error">
          {messages.join(' ')}
        </small>
      )}
      {!mayGrant(c, GRANTABLE) && (
        <small class="help">
          You cannot grant what is greyed out: your own key does not hold it.
        </small>
      )}
      <ScopesTable c={c} scopes={scopes} />
    </fieldset>
  )
}
