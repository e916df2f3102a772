import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Pause } from '../../engine/model/pause.ts'
import type { NamedPartner } from '../../settings/partners/queries.ts'

export interface KeyRecord {
  id: string
  name: string
  hint: string
  scopes: string[]
  expires_at: string | null
  last_used_at: string | null
  created_at: string
  revoked_at: string | null
  status: string
  pause: Pause | null
  partner_id: string | null
  own_orders_only: boolean
  reads: 'primary' | 'near'
  release: string
  rate_limit: number | null
}

export interface KeyRowProps {
  c: Context<AppEnv>
  record: KeyRecord
  /** Undefined if the session's key may not see it, or there is none. */
  partner: NamedPartner | undefined
  /** When its hint last came over plain HTTP. */
  exposed_at: string | undefined
}
