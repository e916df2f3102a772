import { type Context, Hono } from 'hono'
import type { TenantDatabase } from '../../db/transact.ts'
import type { AppEnv } from '../../env.ts'
import type { ApiError } from '../../errors.ts'
import type { Address } from '../../identifiers/address.ts'
import type { Scope } from '../../identity/scopes.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { may } from '../access.ts'
import { Confirmation } from '../controls/confirmation.tsx'
import { refusalOf } from '../controls/refusal.ts'
import { formOf } from '../form/read.ts'
import { CONFIRMATION } from '../form/shape.ts'
import { redirectDone } from '../layout/notice.ts'
import { showPage } from '../layout/page.tsx'
import { addressOf } from './address.ts'
import { recordPath } from './path.ts'

type Action = 'activate' | 'deactivate'

interface Kind {
  resource: 'products' | 'locations'
  one: 'product' | 'location'
  /** What comes of it, in a sentence. */
  effects: Record<Action, string>
  nameOf: (db: TenantDatabase, address: Address) => Promise<string>
  change: Record<Action, (db: TenantDatabase, address: Address) => Promise<unknown>>
}

const SCOPES = { activate: 'write', deactivate: 'delete' } as const

function scopeOf({ resource }: Pick<Kind, 'resource'>, action: Action): Scope {
  return `integrations.${resource}.${SCOPES[action]}`
}

/** The pages that activate and deactivate a record, at `/:id/activate/` and `/:id/deactivate/`. */
export function activityPages(kind: Kind): Hono<AppEnv> {
  const pages = new Hono<AppEnv>()
  for (const action of ['activate', 'deactivate'] as const) {
    const scope = requireScope(scopeOf(kind, action))
    const path = `/:id/${action}/`
    pages.get(path, scope, async (c) => {
      const address = addressOf(c, kind.resource, c.req.param('id') ?? '')
      const refusal = await refusalOf(c, (db) => kind.change[action](db, address))
      return showQuestion(c, kind, action, refusal)
    })
    pages.post(path, scope, async (c) => {
      await formOf(c, CONFIRMATION, (_, error) => showQuestion(c, kind, action, error))
      const id = c.req.param('id') ?? ''
      await kind.change[action](c.get('db'), addressOf(c, kind.resource, id))
      return redirectDone(c, recordPath(kind.resource, id), `${kind.one}-${action}d`)
    })
  }
  return pages
}

async function showQuestion(
  c: Context<AppEnv>,
  { resource, one, effects, nameOf }: Kind,
  action: Action,
  error: ApiError | null,
) {
  const id = c.req.param('id') ?? ''
  const name = await nameOf(c.get('db'), addressOf(c, resource, id))
  const what = action === 'activate' ? 'Activate' : 'Deactivate'
  return showPage(
    c,
    `${what} ${one}`,
    <Confirmation
      question={`${what} the ${one} “${name}”?`}
      action={`${what} ${one}`}
      look={action === 'deactivate' ? 'danger' : undefined}
      back={recordPath(resource, id)}
      error={error}
    >
      <p>{effects[action]}</p>
    </Confirmation>,
  )
}

interface ActivityLinkProps {
  c: Context<AppEnv>
  resource: Kind['resource']
  record: { id: string; is_active: boolean }
}

/** Leads to the page that deactivates the record, or activates it, if the session's key may. */
export function ActivityLink({ c, resource, record: { id, is_active } }: ActivityLinkProps) {
  const action = is_active ? 'deactivate' : 'activate'
  if (!may(c, scopeOf({ resource }, action))) return null
  return (
    <a href={`${recordPath(resource, id)}${action}/`}>{is_active ? 'Deactivate' : 'Activate'}</a>
  )
}
