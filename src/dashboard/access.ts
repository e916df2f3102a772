import type { Context } from 'hono'
import type { AppEnv } from '../engine/env.ts'
import { covers, grantableBy, type Scope } from '../engine/identity/scopes.ts'
import { type Granted, grantRefusal } from '../settings/api-keys/grant.ts'
import {
  APPLY_DELIVERIES_PATH,
  DELIVERIES_PATH,
  type ImportedResource,
  importPath,
  importRunPath,
  LINE_DIFFERENCES_PATH,
  NEW_PERSON_PATH,
  PEOPLE_PATH,
} from './paths.ts'

export type GrantedKey = Granted<readonly string[], string | null>

/** What the navigation has areas of. */
export type AreaGroup = 'Warehouse' | 'Integrations' | 'Settings'

export interface DashboardArea {
  path: string
  name: string
  group: AreaGroup
  /** The scope that its pages require. Pages that change something require the write scope as well. */
  scope: Scope
  /** Paths of other pages of the area. They are not below `path`. */
  beside?: readonly string[]
  /** Closed to keys that are linked to a partner. */
  isInternal?: true
}

const OVERVIEW = '/dashboard/'

/** What the three calls need that connect a system over the API. */
export const CONNECT_SCOPES: readonly Scope[] = [
  'settings.partners.read',
  'settings.partners.write',
  'settings.keys.read',
  'settings.keys.write',
]

function importing(resource: ImportedResource): string[] {
  return [importPath(resource), importRunPath(resource)]
}

const AREAS: readonly DashboardArea[] = [
  { path: OVERVIEW, name: 'Overview', group: 'Warehouse', scope: 'settings.audit.read' },
  {
    path: '/dashboard/orders/',
    name: 'Orders',
    group: 'Warehouse',
    scope: 'integrations.orders.read',
  },
  {
    path: '/dashboard/products/',
    name: 'Products',
    group: 'Warehouse',
    scope: 'integrations.products.read',
    beside: ['/dashboard/new/product/', ...importing('products')],
  },
  {
    path: '/dashboard/locations/',
    name: 'Locations',
    group: 'Warehouse',
    scope: 'integrations.locations.read',
    beside: ['/dashboard/new/location/', ...importing('locations')],
  },
  {
    path: '/dashboard/inventory/',
    name: 'Inventory',
    group: 'Warehouse',
    scope: 'integrations.inventory.read',
    beside: importing('inventory'),
  },
  {
    path: '/dashboard/partners/',
    name: 'Partners',
    group: 'Integrations',
    scope: 'settings.partners.read',
    beside: ['/dashboard/new/partner/'],
  },
  {
    path: '/dashboard/webhooks/',
    name: 'Webhooks',
    group: 'Integrations',
    scope: 'settings.keys.read',
    beside: ['/dashboard/new/webhook/'],
  },
  {
    path: DELIVERIES_PATH,
    name: 'Deliveries',
    group: 'Integrations',
    scope: 'settings.documents.read',
    beside: [APPLY_DELIVERIES_PATH, LINE_DIFFERENCES_PATH],
    isInternal: true,
  },
  {
    path: '/dashboard/audit-log/?area=integrations',
    name: 'Audit log',
    group: 'Integrations',
    scope: 'settings.audit.read',
    beside: ['/dashboard/send-again/'],
  },
  {
    path: '/dashboard/api-keys/',
    name: 'API keys',
    group: 'Settings',
    scope: 'settings.keys.read',
    beside: ['/dashboard/new/api-key/'],
  },
  {
    path: PEOPLE_PATH,
    name: 'People',
    group: 'Settings',
    scope: 'settings.people.read',
    beside: [NEW_PERSON_PATH],
  },
  {
    path: '/dashboard/workspace/',
    name: 'Workspace',
    group: 'Settings',
    scope: 'settings.workspace.read',
  },
  { path: '/dashboard/history/', name: 'History', group: 'Settings', scope: 'settings.audit.read' },
]

/** Each of these opens at least one page by itself, `settings.documents.read` to a key without a partner. */
export const OPENING: readonly Scope[] = [...new Set(AREAS.map(({ scope }) => scope))]

/** Whether the session's key covers the scope. */
export function may(c: Context<AppEnv>, scope: Scope): boolean {
  return covers(c.get('caller').key.scopes, scope)
}

/** The message as the caller of a page reads it: a person has no API key. */
export function addressedTo(c: Context<AppEnv>, message: string): string {
  if (!c.get('caller')?.key.is_person) return message
  return message
    .replaceAll('This API key', 'Your account')
    .replaceAll('this API key', 'your account')
}

/** Whether the session's key may connect a system: it makes a partner and a webhook. */
export function mayConnect(c: Context<AppEnv>): boolean {
  return CONNECT_SCOPES.every((scope) => may(c, scope))
}

/** Whether the session's key is an administrator's. */
export function maySeeSettings(c: Context<AppEnv>): boolean {
  return areasOf(c).some(({ scope }) => scope.startsWith('settings.'))
}

/** The scopes that the session's key cannot grant. */
export function beyondOwn(c: Context<AppEnv>, scopes: readonly string[]): string[] {
  const { key, orders_of } = c.get('caller')
  // A limited key grants nothing (settings/api-keys/grant.ts).
  if (orders_of !== null) return [...scopes]
  const grantable = grantableBy(key.scopes)
  return scopes.filter((scope) => !grantable.includes(scope))
}

/** Whether the session's key may grant the scopes to keys of its own partner, or to any if it has none. */
export function mayGrant(c: Context<AppEnv>, scopes: readonly string[]): boolean {
  return c.get('caller').orders_of === null && beyondOwn(c, scopes).length === 0
}

/** Whether the session's key may change and rotate a key with these scopes and this partner. */
export function mayGrantKey(c: Context<AppEnv>, key: GrantedKey): boolean {
  return grantRefusal(c.get('caller'), key) === null
}

/** The areas that the session's key may see, in the order of the navigation. */
export function areasOf(c: Context<AppEnv>): DashboardArea[] {
  return AREAS.filter((area) => isOpen(c, area))
}

function isOpen(c: Context<AppEnv>, { scope, isInternal }: DashboardArea): boolean {
  return may(c, scope) && !(isInternal && c.get('caller').partner)
}

/** Whether the session's key may see the page at this path, as far as its area decides that. */
export function maySeePage(c: Context<AppEnv>, path: string): boolean {
  const area = AREAS.find((each) => isIn(path, each))
  return area === undefined || isOpen(c, area)
}

/** Whether the page at this path belongs to the area. That of the overview alone is its own path. */
export function isIn(path: string, area: DashboardArea): boolean {
  const [at = ''] = area.path.split('?')
  const isBeside = area.beside?.includes(path) ?? false
  return isBeside || (at === OVERVIEW ? path === at : path.startsWith(at))
}

/** The first page that the session's key may see. */
export function homeOf(c: Context<AppEnv>): string {
  const [first] = areasOf(c)
  return first?.path ?? OVERVIEW
}
