import { CURRENT } from '../../src/engine/releases/release.ts'
import { MAPPING } from './pages.ts'
import type { Fields } from './session.ts'

const CONFIRMED = { confirmed: 'true' }

const PARTNER = { name: '', default_identifier_field: '' }

/** Each of the editor's rows has these. */
const CELLS = ['target', 'kind', 'source', 'as', 'with', 'values', 'default']

const EDITOR_OF_STOCK = { 'inbound.unmapped': '', 'outbound.unmapped': '', document: '' }

const EDITOR = { ...EDITOR_OF_STOCK, identifier_field: '', method: 'POST' }

const KEY = {
  name: '',
  access: 'chosen',
  partner_id: '',
  own_orders_only: 'false',
  reads: 'primary',
  release: CURRENT.name,
  rate_limit: '',
  expires_at: '',
}

/** What each form of the dashboard sends if nobody fills it in, by the path that it is sent to. */
export const FORMS: Record<string, Fields> = {
  '/dashboard/sign-in/': { key: '' },
  '/dashboard/sign-out/': CONFIRMED,
  '/dashboard/orders/:id/cancel/': { ...CONFIRMED, reason: '' },
  '/dashboard/products/:id/activate/': CONFIRMED,
  '/dashboard/products/:id/deactivate/': CONFIRMED,
  '/dashboard/locations/:id/activate/': CONFIRMED,
  '/dashboard/locations/:id/deactivate/': CONFIRMED,
  '/dashboard/new/api-key/': KEY,
  '/dashboard/api-keys/:id/': KEY,
  '/dashboard/api-keys/:id/rotate/': { ...CONFIRMED, overlap_seconds: '86400' },
  '/dashboard/api-keys/:id/revoke/': CONFIRMED,
  '/dashboard/new/partner/': PARTNER,
  '/dashboard/partners/:id/': PARTNER,
  '/dashboard/partners/:id/delete/': CONFIRMED,
  [MAPPING]: EDITOR,
  [`${MAPPING}preview/`]: EDITOR,
  [`${MAPPING}replay/`]: EDITOR,
  [`${MAPPING}delete/`]: CONFIRMED,
  '/dashboard/audit-log/:id/send-again/': CONFIRMED,
  '/dashboard/audit-log/:id/undo/': CONFIRMED,
  '/dashboard/send-again/': { ...CONFIRMED, run: '', ids: '', results: '[]' },
  '/dashboard/workspace/': {
    name: '',
    audit_retention_days: '365',
    audit_hot_days: '30',
    undo_days: '7',
  },
  '/dashboard/workspace/integration/': { ...CONFIRMED, integration_enabled: 'true' },
}

/** The fields in the form of their page: with those that it sends as well. */
export function filledInAt(path: string, fields: Fields): Fields {
  const [address = ''] = path.split('?')
  const [, blank = {}] = Object.entries(FORMS).find(([form]) => isAt(form, address)) ?? []
  // The other form at this path renames a key.
  if (blank === KEY && !('access' in fields) && !address.includes('/new/')) return fields
  if (blank !== EDITOR) return { ...blank, ...fields }
  const sent = address.includes('/mappings/inventory/') ? EDITOR_OF_STOCK : EDITOR
  return { ...sent, ...fields, ...rowsOf(fields) }
}

/** The rows of an editor, with all of their cells. */
function rowsOf(fields: Fields): Fields {
  return Object.fromEntries(
    ['inbound', 'outbound'].flatMap((direction) => {
      const rows = [fields[`${direction}.target`] ?? []].flat()
      return CELLS.map((cell) => {
        const name = `${direction}.${cell}`
        const given = [fields[name] ?? []].flat()
        return [name, rows.map((_, row) => given[row] ?? '')]
      })
    }),
  )
}

function isAt(form: string, address: string): boolean {
  const pattern = form.replace(/:resource\{(.*)\}/, '($1)').replaceAll(':id', '[^/]+')
  return new RegExp(`^${pattern}$`).test(address)
}
