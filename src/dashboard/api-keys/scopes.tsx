import type { ApiError } from '../../errors.ts'
import { SCOPES } from '../../scopes.ts'
import { messagesOf } from '../controls.tsx'
import type { Form } from '../form.ts'

const PRESETS = {
  full: ['integrations.*'],
  read: SCOPES.filter((scope) => scope.startsWith('integrations.') && scope.endsWith('.read')),
}

const CHOICES = [
  ['full', 'Full access', 'every call of the integrations API'],
  ['read', 'Read only', 'reads orders, products, locations and inventory'],
  ['chosen', 'Chosen scopes', 'exactly what is ticked below'],
] as const

const ROWS = [
  'integrations',
  'integrations.orders',
  'integrations.products',
  'integrations.locations',
  'integrations.inventory',
  'settings',
]
const ACTIONS = ['read', 'write', 'delete', '*']

export type Access = (typeof CHOICES)[number][0]

/** The preset that grants exactly these scopes, or else `chosen`. */
export function accessOf(scopes: readonly string[]): Access {
  const granted = scopes.toSorted().join()
  if (granted === PRESETS.full.join()) return 'full'
  return granted === PRESETS.read.toSorted().join() ? 'read' : 'chosen'
}

/** What a form chose; anything else than a preset is a choice of scopes. */
export function accessIn(form: Form): Access {
  const [access] = CHOICES.find(([name]) => name === form.text('access')) ?? []
  return access ?? 'chosen'
}

/** The scopes that a form asks for. */
export function scopesOf(form: Form): readonly string[] {
  const access = accessIn(form)
  return access === 'chosen' ? form.all('scopes') : PRESETS[access]
}

interface ScopesProps {
  access: Access
  scopes: readonly string[]
  error: ApiError | null
}

/** Presets, and a table of check boxes that the style sheet shows for the last of them. */
export function ScopesFieldset({ access, scopes, error }: ScopesProps) {
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
          <input type="radio" name="access" value={value} checked={value === access} />
          {name} <small>{meaning}</small>
        </label>
      ))}
      {messages.length > 0 && (
        <small class="field-error" id="scopes-error">
          {messages.join(' ')}
        </small>
      )}
      <ScopesTable scopes={scopes} />
    </fieldset>
  )
}

function ScopesTable({ scopes }: { scopes: readonly string[] }) {
  return (
    <div class="overflow-auto chosen-scopes">
      <table>
        <thead>
          <tr>
            <th scope="col">Resource</th>
            {ACTIONS.map((action) => (
              <th scope="col">{action === '*' ? 'all' : action}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROWS.map((row) => (
            <tr>
              <th scope="row">
                <code>{row.replace(/^integrations\./, '')}</code>
              </th>
              {ACTIONS.map((action) => (
                <td>
                  {hasScope(row, action) && <ScopeBox scope={`${row}.${action}`} scopes={scopes} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function ScopeBox({ scope, scopes }: { scope: string; scopes: readonly string[] }) {
  return (
    <input
      type="checkbox"
      name="scopes"
      value={scope}
      checked={scopes.includes(scope)}
      aria-label={scope}
    />
  )
}

function hasScope(row: string, action: string): boolean {
  return action === '*' || SCOPES.some((scope) => scope === `${row}.${action}`)
}
