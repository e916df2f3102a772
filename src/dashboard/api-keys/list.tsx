import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { Records } from '../parts/records.tsx'
import type { KeyRecord } from './record.ts'
import { KeyRow } from './row.tsx'

interface KeyTableProps {
  c: Context<AppEnv>
  keys: KeyRecord[]
  /** The partners' names by id. */
  partners: Map<string, string>
  /** When keys last came over plain HTTP, by hint. */
  exposed: Map<string, string>
}

export function KeyTable({ c, keys, partners, exposed }: KeyTableProps) {
  return (
    <Records columns={['Name', 'Access', 'Status', 'Last used', 'Expires']} hasActions>
      {keys.map((key) => (
        <KeyRow
          c={c}
          record={key}
          exposed_at={exposed.get(key.hint)}
          partner={key.partner_id && (partners.get(key.partner_id) ?? key.partner_id)}
        />
      ))}
    </Records>
  )
}
