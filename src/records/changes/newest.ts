import { sql } from 'drizzle-orm'
import { prepared, qb } from '../../engine/db/prepared.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { SharedReads } from '../../engine/limits/shared-reads.ts'
import {
  FEED,
  type FeedPlace,
  type FeedResource,
  type FeedWalk,
  resourceAt,
  stockBefore,
} from './cursor.ts'
import { SLICES } from './stock.ts'

/** Where the feed of a tenant ends, and the settings at that time. */
interface Newest {
  settings_version: number
  stock_listed_after: number
  /** By resource, the place of the newest change. */
  places: Pick<FeedPlace, 'place' | 'seq'>[]
}

const shared = new SharedReads<Newest>()

const selectNewestPlaces = prepared(() =>
  qb
    .select({ place: sql<number>`place`.as('place'), seq: sql<number>`seq`.as('seq') })
    .from(sql`(${sql.join(FEED.map(newestOf), sql` union all `)})`),
)

function newestOf(resource: FeedResource) {
  const rows =
    resource === 'inventory'
      ? sql`select changed_place as place, position as seq from ${SLICES}`
      : sql`select changed_place as place, seq from ${sql.identifier(resource)}`
  return sql`select * from (${rows} order by 1 desc, 2 desc limit 1)`
}

/** Whether a read of the feed from `at` may give more than one that began at `since`. */
export async function mayHaveChanged(
  db: TenantDatabase,
  walk: FeedWalk,
  at: FeedPlace,
  since: number,
): Promise<boolean> {
  const newest = await shared.newerThan(since, walk.tenant, () => readNewest(db))
  return newest !== null && isAhead(newest, db, walk, at)
}

/** How long there is nothing new to know since then, in milliseconds. */
export function nothingNewFor({ tenant }: FeedWalk, since: number): number {
  return shared.pauseMs(since, tenant)
}

async function readNewest(db: TenantDatabase): Promise<Newest> {
  const [places] = await db.read([selectNewestPlaces])
  const { stock_listed_after } = db
  return { settings_version: db.subject.settings_version, stock_listed_after, places }
}

/** The caller's own read confirms settings that have changed. */
function isAhead(
  newest: Newest,
  { subject }: TenantDatabase,
  walk: FeedWalk,
  at: FeedPlace,
): boolean {
  if (newest.settings_version !== subject.settings_version) return true
  const hasStock = walk.resources.includes('inventory')
  if (hasStock && newest.stock_listed_after > stockBefore(at)) return true
  return newest.places.some(({ place, seq }) => {
    const isShown = walk.resources.some((name) => name === resourceAt({ place }))
    return isShown && (place > at.place || (place === at.place && seq > at.seq))
  })
}
