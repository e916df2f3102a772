import type { Context } from 'hono'
import { mapWithin } from '../../../engine/body/map-inbound.ts'
import type { AppEnv } from '../../../engine/env.ts'
import { leaveLargeWork, ownerOf } from '../../../engine/exchange/memory.ts'
import type { Resource } from '../../../engine/mapping/identifier.ts'
import { changedMapping } from '../../../engine/mapping/schema.ts'
import { documentsOf, memoryFor } from '../../../middleware/document-access.ts'
import { findSaved } from '../queries.ts'
import type { ReplayMapping } from '../schema.ts'
import { type Replayed, replayKept } from './replay.ts'

/** `replayKept` with the saved mapping and the draft that a request has. 404 NOT_FOUND if there is no such partner. */
export async function replayAsked(
  c: Context<AppEnv>,
  partner_id: string,
  resource: Resource,
  { mapping, ...choice }: ReplayMapping,
): Promise<Replayed> {
  const saved = await findSaved(c.get('db'), partner_id, resource)
  c.get('exchange').record_id = partner_id
  const before = changedMapping(saved, {})
  const after = changedMapping(saved, mapping ?? {})
  const memory = { take: memoryFor(c), map: mapWithin(c), leave: () => leaveLargeWork(c) }
  const replay = { resource, partner_id, choice, before, after, owner: ownerOf(c), memory }
  return await replayKept(documentsOf(c), replay)
}
