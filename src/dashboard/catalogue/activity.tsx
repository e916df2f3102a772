import { type Context, Hono } from 'hono'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Address } from '../../engine/identifiers/address.ts'
import type { Scope } from '../../engine/identity/scopes.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { type Kind, recordName } from '../../records/catalogue/kind.ts'
import { deactivateRecord, findRecord, updateRecord } from '../../records/catalogue/queries.ts'
import { may } from '../access.ts'
import { formOf } from '../form/read.ts'
import { CONFIRMATION } from '../form/shape.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { recordPath } from '../paths.ts'
import { addressOf } from '../records/address.ts'
import { redirectDone } from '../shell/notice.ts'
import { showPage } from '../shell/page.tsx'
import type { Pages } from './pages.ts'

type Action = 'activate' | 'deactivate'

const SCOPES = { activate: 'write', deactivate: 'delete' } as const

function scopeOf(resource: Kind['resource'], action: Action): Scope {
  return `integrations.${resource}.${SCOPES[action]}`
}

async function change(kind: Kind, action: Action, db: TenantDatabase, address: Address) {
  if (action === 'deactivate') return await deactivateRecord(kind, db, address)
  return await updateRecord(kind, db, address, { is_active: true })
}

/** The pages that activate and deactivate a record, at `/:id/activate/` and `/:id/deactivate/`. */
export function activityPages(pages: Pages): Hono<AppEnv> {
  const { kind } = pages
  const { resource, record } = kind
  const routes = new Hono<AppEnv>()
  for (const action of ['activate', 'deactivate'] as const) {
    const scope = requireScope(scopeOf(resource, action))
    const path = `/:id/${action}/`
    routes.get(path, scope, async (c) => {
      const address = addressOf(c, resource, c.req.param('id') ?? '')
      const refusal = await c.get('db').refusalOf((db) => change(kind, action, db, address))
      return showQuestion(c, pages, action, refusal)
    })
    routes.post(path, scope, async (c) => {
      await formOf(c, CONFIRMATION, (_, error) => showQuestion(c, pages, action, error))
      const id = c.req.param('id') ?? ''
      await change(kind, action, c.get('db'), addressOf(c, resource, id))
      return redirectDone(c, recordPath(resource, id), `${record.one}-${action}d`)
    })
  }
  return routes
}

async function showQuestion(
  c: Context<AppEnv>,
  { kind, effects }: Pages,
  action: Action,
  error: ApiError | null,
) {
  const id = c.req.param('id') ?? ''
  const { resource, record } = kind
  const { one } = record
  const name = recordName(kind, await findRecord(kind, c.get('db'), addressOf(c, resource, id)))
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
  if (!may(c, scopeOf(resource, action))) return null
  return (
    <a href={`${recordPath(resource, id)}${action}/`}>{is_active ? 'Deactivate' : 'Activate'}</a>
  )
}

/** Whether a product or a location is active. */
export function Active({ isActive }: { isActive: boolean }) {
  return (
    <span class={`status ${isActive ? 'active' : 'inactive'}`}>
      {isActive ? 'active' : 'inactive'}
    </span>
  )
}
