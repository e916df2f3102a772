import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { RATE_LIMIT_MAX } from '../../settings/api-keys/schema.ts'
import { may } from '../access.ts'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Input } from '../parts/input.tsx'
import { count } from '../parts/numbers.ts'
import { Select } from '../parts/select.tsx'
import { API_KEYS_PATH } from '../paths.ts'
import type { KeyFields } from './fields.ts'
import { type Partner, PartnerSelect } from './partner-select.tsx'
import { ReadsSelect } from './reads.tsx'
import { ReleaseSelect } from './release.tsx'
import { ScopesFieldset } from './scopes.tsx'

interface KeyFormProps {
  c: Context<AppEnv>
  fields: KeyFields
  partners: readonly Partner[]
  error: ApiError | null
  action: string
}

export function KeyForm({ c, fields, partners, error, action }: KeyFormProps) {
  return (
    <form method="post">
      <FormError error={error} />
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
      <Input
        label="Requests per minute"
        name="rate_limit"
        type="number"
        min={1}
        max={RATE_LIMIT_MAX}
        value={fields.rate_limit}
        error={error}
        help={`1 to ${count(RATE_LIMIT_MAX)}. Requests above the limit are refused with 429. Leave empty for no limit.`}
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
      <FormButtons action={action} back={API_KEYS_PATH} />
    </form>
  )
}
