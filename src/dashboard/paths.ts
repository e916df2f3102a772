import type { AddressableResource, Resource } from '../engine/mapping/identifier.ts'
import type { CodeKind } from '../engine/mapping/item-code.ts'

export const API_KEYS_PATH = '/dashboard/api-keys/'
export const PEOPLE_PATH = '/dashboard/people/'
export const NEW_PERSON_PATH = '/dashboard/new/person/'
export const SESSIONS_PATH = '/dashboard/sessions/'
/** Ends all sessions of the key but this one. At a path of its own: Hono's fast router does not support it beside `:id`. */
export const END_SESSIONS_PATH = '/dashboard/end-sessions/'
export const WEBHOOKS_PATH = '/dashboard/webhooks/'
export const CONNECT_PATH = '/dashboard/connect/'
export const DELIVERIES_PATH = '/dashboard/deliveries/'
/** At a path of its own: Hono's fast router does not support it beside `:id`. */
export const APPLY_DELIVERIES_PATH = '/dashboard/apply-deliveries/'
/** Orders of which a shop has delivered other lines. */
export const LINE_DIFFERENCES_PATH = '/dashboard/line-differences/'
export const PARTNERS_PATH = '/dashboard/partners/'
export const SEARCH_PATH = '/dashboard/search/'
export const WORKSPACE_PATH = '/dashboard/workspace/'

const AUDIT_LOG = '/dashboard/audit-log/'

/** A page's query parameters. One that is not set is missing. */
export type PageFilters = Record<string, string | undefined>

/** The query parameter with the cursors of the pages before this one. A cursor alone leads one way. */
export const TRAIL = 'back'

/** The path with these filters. */
export function pathWith(path: string, filters: PageFilters): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) if (value) parameters.set(name, value)
  return parameters.size > 0 ? `${path}?${parameters}` : path
}

export function listPath(resource: Resource, filters: PageFilters = {}): string {
  return pathWith(`/dashboard/${resource}/`, filters)
}

/** The resources of which a table can be imported by hand. */
export type ImportedResource = 'products' | 'locations' | 'inventory'

/** The page that imports a table of such records. */
export function importPath(resource: ImportedResource): string {
  return `/dashboard/import/${resource}/`
}

/** Where the rows of a checked table are imported. */
export function importRunPath(resource: ImportedResource): string {
  return `${importPath(resource)}run/`
}

/** The page of one record, by our id. */
export function recordPath(resource: AddressableResource, id: string): string {
  return `/dashboard/${resource}/${encodeURIComponent(id)}/`
}

/** The history of the stock that these filters choose. */
export function historyPath({ location_code, sku_code }: PageFilters): string {
  return pathWith('/dashboard/inventory/history/', {
    ...(location_code && { location_code }),
    ...(sku_code && { sku_code }),
  })
}

/** The low stock of all locations, or of one. */
export function lowStockPath({ location_code, ...others }: PageFilters = {}): string {
  return pathWith('/dashboard/inventory/low/', { location_code, ...others })
}

/** The page that changes the stock of this product at this location by hand. It asks for what is not said. */
export function adjustPath({ location_code, sku_code }: PageFilters): string {
  return pathWith('/dashboard/inventory/adjust/', { location_code, sku_code })
}

/** The changes of settings with these filters. */
export function settingsHistoryPath(filters: PageFilters = {}): string {
  return pathWith('/dashboard/history/', filters)
}

/** The page of one change of settings. */
export function changePath(id: number): string {
  return `/dashboard/history/${id}/`
}

/** The audit log with these filters. */
export function auditLogPath(filters: PageFilters = {}): string {
  return pathWith(AUDIT_LOG, filters)
}

/** The page of one request. */
export function requestPath(request_id: string): string {
  return `${AUDIT_LOG}${encodeURIComponent(request_id)}/`
}

/** The page that undoes an import of products or locations, by the request that has checked its table. */
export function undoImportPath(check: string): string {
  return `${requestPath(check)}undo-import/`
}

/** The page that sends the failed requests with these filters of the audit log again. */
export function sendAgainPath({ cursor, limit, format, done, ...filters }: PageFilters): string {
  return pathWith('/dashboard/send-again/', filters)
}

/** The deliveries that wait, with these filters. */
export function deliveriesPath(filters: PageFilters = {}): string {
  return pathWith(DELIVERIES_PATH, filters)
}

/** The page of one delivery. */
export function deliveryPath(delivery_id: string): string {
  return `${DELIVERIES_PATH}${encodeURIComponent(delivery_id)}/`
}

/** The page that tries the waiting deliveries with these filters. */
export function applyDeliveriesPath({ cursor, limit, done, ...filters }: PageFilters): string {
  return pathWith(APPLY_DELIVERIES_PATH, filters)
}

/** The page of one webhook. */
export function webhookPath(id: string): string {
  return `${WEBHOOKS_PATH}${encodeURIComponent(id)}/`
}

export const NEW_WEBHOOK_PATH = '/dashboard/new/webhook/'
const NEW_RECORDS = {
  products: ['/dashboard/new/product/', 'sku'],
  locations: ['/dashboard/new/location/', 'code'],
} as const

/** The page that creates a product or location, with this name to begin with if there is one. */
export function newRecordPath(resource: keyof typeof NEW_RECORDS, name?: string): string {
  const [path, key] = NEW_RECORDS[resource]
  return pathWith(path, { [key]: name })
}

export const newKeyPath = (partnerId: string) => `/dashboard/new/api-key/?partner_id=${partnerId}`

export const newWebhookPath = (partnerId: string) =>
  pathWith(NEW_WEBHOOK_PATH, { partner_id: partnerId })

/** The form that connects the system of a preset. */
export function connectPath(preset: string): string {
  return `${CONNECT_PATH}${encodeURIComponent(preset)}/`
}

/** The page of a webhook that was made with a preset. */
export function connectionPath(preset: string, webhook: string): string {
  return `${connectPath(preset)}${encodeURIComponent(webhook)}/`
}

/** Whose mapping it is, and of which resource. */
export interface MappingPlace {
  partnerId: string
  resource: Resource
}

/** The item codes of a partner. */
export function itemCodesPath(
  { partnerId, kind }: { partnerId: string; kind: CodeKind },
  filters: PageFilters = {},
): string {
  return pathWith(`${PARTNERS_PATH}${encodeURIComponent(partnerId)}/item-codes/${kind}/`, filters)
}

/** Where a file goes through the mapping. */
export const mappingFilePath = (place: MappingPlace) => `${mappingPath(place)}file/`

export function mappingPath({ partnerId, resource }: MappingPlace): string {
  return `${PARTNERS_PATH}${encodeURIComponent(partnerId)}/mappings/${resource}/`
}
