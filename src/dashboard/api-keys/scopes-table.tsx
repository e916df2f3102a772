import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { GRANTABLE, SCOPES } from '../../engine/identity/scopes.ts'
import { mayGrant } from '../access.ts'

// Each area, followed by its resources.
const ROWS = [...new Set(SCOPES.flatMap(partsOf))]
const ACTIONS = ['read', 'write', 'delete', '*']

interface TableProps {
  c: Context<AppEnv>
  scopes: readonly string[]
}

export function ScopesTable({ c, scopes }: TableProps) {
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
              <th scope="row" class={row.includes('.') ? 'within' : undefined}>
                <code>{row.slice(row.indexOf('.') + 1)}</code>
              </th>
              {ACTIONS.map((action) => (
                <td>
                  {GRANTABLE.includes(`${row}.${action}`) && (
                    <ScopeBox c={c} scope={`${row}.${action}`} scopes={scopes} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <small class="help">
        <code>documents</code>: what partners sent, where it is kept. <code>settings.read</code> and{' '}
        <code>settings.write</code> do not include it.
      </small>
    </div>
  )
}

function ScopeBox({ c, scope, scopes }: TableProps & { scope: string }) {
  return (
    <input
      type="checkbox"
      name="scopes"
      value={scope}
      checked={scopes.includes(scope)}
      disabled={!mayGrant(c, [scope])}
      aria-label={scope}
    />
  )
}

/** `integrations` and `integrations.orders` for `integrations.orders.read`. */
function partsOf(scope: string): string[] {
  const [area = '', resource] = scope.split('.')
  return [area, `${area}.${resource}`]
}
