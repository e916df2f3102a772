import { type SQL, sql } from 'drizzle-orm'
import { literal, prepared, qb } from '../../engine/db/prepared.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import type { Warning } from '../../engine/json/warnings.ts'

// D1 counts 3 rows read per active location, 4 per location with stock, 4 per record found by its location
// and 3 per record of the list of all. With these limits it counts at most 1,000.
const ACTIVE_MAX = 100
const STOCKED_MAX = 30
const MERGED_MAX = 150
const WALKED_MAX = 250

const isProductActive = sql`(select is_active from products where sku = sku_code)`
const isLocationActive = sql`(select is_active from locations where code = location_code)`

/**
 * The newest records of active products at active locations; one more than the limit if there are more.
 * Reads at most 1,000 rows, however much other stock there is: if at most 100 locations are active or at
 * most 30 hold stock, it looks at the newest 150 records at active locations, otherwise at the newest 250
 * of all. A warning says if older records may be missing for that reason.
 */
export async function listActiveStock(db: TenantDatabase, limit: number) {
  const [found] = await db.read([selectActive], { rows: limit + 1 })
  const rows = found.filter((row) => row.is_active).map(({ is_active, is_last, ...row }) => row)
  const isWhole = rows.length > limit || found.some((row) => row.is_last)
  return { rows, warnings: isWhole ? [] : [MAY_BE_MISSING] }
}

const MAY_BE_MISSING: Warning = {
  field: 'data',
  message:
    'Older records may be missing: too much of the newest stock is inactive. The current release lists all stock, in pages.',
}

/**
 * Chooses one of three ways; LIMIT 0 keeps the others from reading anything. Each way gives the newest
 * record first, and SQLite stops after the last row that it needs. `is_last` is true for the row after
 * which there are no more; without that row there may be more. The LIMITs around the look-ups keep SQLite
 * from repeating them.
 */
const selectActive = prepared(() =>
  qb
    .select({
      seq: sql<number>`seq`,
      location_code: sql<string>`location_code`,
      sku_code: sql<string>`sku_code`,
      quantity: sql<number>`quantity`,
      is_active: sql<number | null>`is_active`,
      is_last: sql<number>`is_last`,
    })
    .from(
      sql`(
        with recursive
          stocked (code) as (${stockedLocations()}),
          way (name) as materialized (
            select case
              when ${isFew(sql`locations where is_active = 1`, ACTIVE_MAX)} then 'active'
              when ${isFew(sql`stocked where code is not null`, STOCKED_MAX)} then 'stocked'
              else 'all' end
          ),
          merged (code, seq) as (${mergedLocations()})
        select * from (
          select merged.seq, location_code, sku_code, quantity, ${isProductActive} as is_active,
            merged.seq = 0 as is_last
          from merged left join inventory on inventory.seq = merged.seq
          limit ${literal(MERGED_MAX)}
        ) where is_active or is_last
        union all
        select * from (
          select seq, location_code, sku_code, quantity,
            ${isLocationActive} and ${isProductActive} as is_active,
            seq = (select min(seq) from inventory) as is_last
          from inventory order by seq desc
          limit ${ifWay('all', WALKED_MAX)}
        ) where is_active or is_last
        limit ${sql.placeholder('rows')}
      )`,
    ),
)

/**
 * A queue that starts with the newest record of each active location. ORDER BY takes the newest record
 * from the queue, and the next older one of its location joins. Seq 0 comes last, as the end.
 */
function mergedLocations(): SQL {
  const newest = sql`(select max(seq) from inventory where location_code = code)`
  return sql`
    select null, 0 from way where name <> 'all'
    union all
    select * from (
      select code, ${newest} from locations where is_active = 1 limit ${ifWay('active', ACTIVE_MAX)}
    )
    union all
    select * from (
      select code, ${newest} from stocked
      where (select is_active from locations where locations.code = stocked.code)
      limit ${ifWay('stocked', STOCKED_MAX)}
    )
    union all
    select code, (
      select max(older.seq) from inventory as older
      where older.location_code = code and older.seq < merged.seq
    )
    from merged where code is not null and seq is not null
    order by 2 desc`
}

/** Finds each code from the one before it, without reading the records between them; null is the end. */
function stockedLocations(): SQL {
  return sql`
    select min(location_code) from inventory
    union all
    select (select min(location_code) from inventory where location_code > stocked.code)
    from stocked where code is not null
    limit ${literal(STOCKED_MAX + 2)}`
}

function isFew(rows: SQL, most: number): SQL {
  return sql`(select count(*) from (select 1 from ${rows} limit ${literal(most + 1)})) <= ${literal(most)}`
}

function ifWay(name: string, limit: number): SQL {
  return sql`(select iif(name = ${sql.raw(`'${name}'`)}, ${literal(limit)}, 0) from way)`
}
