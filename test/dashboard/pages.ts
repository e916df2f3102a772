import { type Scope, SETTINGS_WRITES } from '../../src/engine/identity/scopes.ts'
import type { AddressableResource, Resource } from '../../src/engine/mapping/identifier.ts'

export interface DashboardPage {
  method: 'GET' | 'POST'
  path: string
  /** What it asks of a session's key, all of it; null of a page that needs no session. */
  scopes: Scope[] | null
}

type Setting = 'keys' | 'partners' | 'workspace'

const see = (path: string, scope: Scope): DashboardPage => ({
  method: 'GET',
  path,
  scopes: [scope],
})
const send = (path: string, setting: Setting): DashboardPage => ({
  method: 'POST',
  path,
  scopes: [`settings.${setting}.read`, `settings.${setting}.write`],
})
const form = (path: string, setting: Setting): DashboardPage[] => [
  { ...send(path, setting), method: 'GET' },
  send(path, setting),
]

/** The list of a resource, and the page of one of its records. */
const list = (resource: Resource) => [
  see(`/dashboard/${resource}/`, `integrations.${resource}.read`),
]
const records = (resource: AddressableResource) => [
  ...list(resource),
  see(`/dashboard/${resource}/:id/`, `integrations.${resource}.read`),
]
const ask = (resource: AddressableResource, action: string, scope: 'write' | 'delete') =>
  (['GET', 'POST'] as const).map((method) => ({
    method,
    path: `/dashboard/${resource}/:id/${action}/`,
    scopes: [`integrations.${resource}.read`, `integrations.${resource}.${scope}`] as Scope[],
  }))

export const MAPPING =
  '/dashboard/partners/:id/mappings/:resource{orders|products|locations|inventory}/'

const SENDING: Scope[] = ['settings.audit.read', 'settings.documents.read', ...SETTINGS_WRITES]

/** Every page of the dashboard. */
export const PAGES: DashboardPage[] = [
  { method: 'GET', path: '/dashboard/sign-in/', scopes: null },
  { method: 'POST', path: '/dashboard/sign-in/', scopes: null },
  { method: 'POST', path: '/dashboard/sign-out/', scopes: null },

  see('/dashboard/', 'settings.audit.read'),

  ...records('orders'),
  ...ask('orders', 'cancel', 'delete'),
  ...records('products'),
  ...ask('products', 'deactivate', 'delete'),
  ...ask('products', 'activate', 'write'),
  ...records('locations'),
  ...ask('locations', 'deactivate', 'delete'),
  ...ask('locations', 'activate', 'write'),
  ...list('inventory'),
  see('/dashboard/inventory/history/', 'integrations.inventory.read'),

  see('/dashboard/api-keys/', 'settings.keys.read'),
  ...form('/dashboard/new/api-key/', 'keys'),
  ...form('/dashboard/api-keys/:id/', 'keys'),
  ...form('/dashboard/api-keys/:id/rotate/', 'keys'),
  ...form('/dashboard/api-keys/:id/revoke/', 'keys'),

  see('/dashboard/partners/', 'settings.partners.read'),
  ...form('/dashboard/new/partner/', 'partners'),
  see('/dashboard/partners/:id/', 'settings.partners.read'),
  send('/dashboard/partners/:id/', 'partners'),
  ...form('/dashboard/partners/:id/delete/', 'partners'),

  see(MAPPING, 'settings.partners.read'),
  send(MAPPING, 'partners'),
  send(`${MAPPING}preview/`, 'partners'),
  {
    method: 'POST',
    path: `${MAPPING}replay/`,
    scopes: ['settings.partners.read', 'settings.partners.write', 'settings.documents.read'],
  },
  ...form(`${MAPPING}delete/`, 'partners'),

  see('/dashboard/audit-log/', 'settings.audit.read'),
  see('/dashboard/audit-log/:id/', 'settings.audit.read'),
  ...['/dashboard/audit-log/:id/send-again/', '/dashboard/send-again/'].flatMap((path) =>
    (['GET', 'POST'] as const).map((method) => ({ method, path, scopes: SENDING })),
  ),

  // And it asks for the scope of what the request changed: test/settings/undo-access.test.ts.
  ...(['GET', 'POST'] as const).map((method) => ({
    method,
    path: '/dashboard/audit-log/:id/undo/',
    scopes: ['settings.audit.read'] as Scope[],
  })),

  // It asks for one scope of several: test/dashboard/search.test.ts.
  { method: 'GET', path: '/dashboard/search/', scopes: [] },

  see('/dashboard/workspace/', 'settings.workspace.read'),
  send('/dashboard/workspace/', 'workspace'),
  ...form('/dashboard/workspace/integration/', 'workspace'),
]
