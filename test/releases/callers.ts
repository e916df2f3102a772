import { openPartner, type PartnerOptions } from '../fixtures/partner.ts'
import { issueKey } from '../fixtures/settings.ts'
import { type Api, client, openAdmin } from '../fixtures/tenant.ts'

/** Two keys that differ in their release alone, and one that may do everything. */
export interface Callers {
  current: Api
  pinned: Api
  admin: Api
}

/** Pass-through keys; with options, keys of one partner. */
export async function sideBySide(options?: PartnerOptions): Promise<Callers> {
  const admin = await openAdmin()
  const partner_id = options ? (await openPartner(options)).id : null
  const [current, pinned] = await Promise.all(
    ['current', '1.0'].map((release) => issueKey(admin, { partner_id, release })),
  )
  return { current: client(current.key), pinned: client(pinned.key), admin }
}
