import type { Scope } from '../../src/scopes.ts'

export interface DashboardPage {
  method: 'GET' | 'POST'
  path: string
  scope: Scope | null
}

const see = (path: string): DashboardPage => ({ method: 'GET', path, scope: 'settings.read' })
const form = (path: string): DashboardPage[] => [
  { method: 'GET', path, scope: 'settings.write' },
  { method: 'POST', path, scope: 'settings.write' },
]

export const MAPPING =
  '/dashboard/partners/:id/mappings/:resource{orders|products|locations|inventory}/'

/** Every page of the dashboard with the scope that it asks of a session; null needs no session. */
export const PAGES: DashboardPage[] = [
  { method: 'GET', path: '/dashboard/sign-in/', scope: null },
  { method: 'POST', path: '/dashboard/sign-in/', scope: null },
  { method: 'POST', path: '/dashboard/sign-out/', scope: null },

  see('/dashboard/'),

  see('/dashboard/api-keys/'),
  ...form('/dashboard/new/api-key/'),
  ...form('/dashboard/api-keys/:id/'),
  ...form('/dashboard/api-keys/:id/rotate/'),
  ...form('/dashboard/api-keys/:id/revoke/'),

  see('/dashboard/partners/'),
  ...form('/dashboard/new/partner/'),
  see('/dashboard/partners/:id/'),
  { method: 'POST', path: '/dashboard/partners/:id/', scope: 'settings.write' },
  ...form('/dashboard/partners/:id/delete/'),

  see(MAPPING),
  { method: 'POST', path: MAPPING, scope: 'settings.write' },
  { method: 'POST', path: `${MAPPING}preview/`, scope: 'settings.write' },
  ...form(`${MAPPING}delete/`),

  see('/dashboard/audit-log/'),

  see('/dashboard/workspace/'),
  { method: 'POST', path: '/dashboard/workspace/', scope: 'settings.write' },
  ...form('/dashboard/workspace/integration/'),
]
