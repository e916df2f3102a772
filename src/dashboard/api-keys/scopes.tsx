import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { GRANTABLE } from '../../engine/identity/scopes.ts'
import { mayGrant } from '../access.ts'
import { messagesOf } from '../parts/field.tsx'
import { type Access, CHOICES, isOffered } from './access-choice.ts'
import { ScopesTable } from './scopes-table.tsx'

export interface ScopesProps {
  c: Context<AppEnv>
  access: Access
  scopes: readonly string[]
  error: ApiError | null
}

/** The presets, and a table of scopes that the style sheet shows for `chosen` only. */
export function ScopesFieldset({ c, access, scopes, error }: ScopesProps) {
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
