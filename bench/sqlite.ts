import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LOCATIONS } from './warehouse.ts'

const NOW = '2026-11-01T00:00:00.000Z'

/**
 * Opens Node's SQLite with our tables, on disk and with D1's journal mode. Measures the upsert alone; SQLite parses
 * the JSON itself.
 */
export function openSqlite(products: number) {
  const folder = mkdtempSync(join(tmpdir(), 'crossdock-bench-'))
  const db = new DatabaseSync(join(folder, 'db.sqlite'))
  db.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on')
  for (const file of readdirSync('migrations').toSorted()) {
    db.exec(readFileSync(`migrations/${file}`, 'utf8'))
  }
  const numbersTo = (last: number) => `(with recursive numbers (n) as (
    select 0 union all select n + 1 from numbers where n < ${last}) select n from numbers)`
  db.exec(`insert into products (id, sku, created_at, updated_at)
    select 'product-' || n, printf('SKU-%06d', n), '${NOW}', '${NOW}' from ${numbersTo(products - 1)};
    insert into locations (id, code, created_at, updated_at)
    select 'location-' || n, printf('A-%03d', n), '${NOW}', '${NOW}' from ${numbersTo(LOCATIONS - 1)}`)
  const upsert = db.prepare(`insert into inventory (location_code, sku_code, quantity)
    select value ->> 'location_code', value ->> 'sku_code', value ->> 'quantity'
    from json_each(?, '$.inventory') where true
    on conflict (location_code, sku_code) do update set quantity = excluded.quantity`)
  return {
    /** Returns the seconds that it took. */
    upsert(body: string): number {
      const started = performance.now()
      upsert.run(body)
      return (performance.now() - started) / 1000
    },
    empty: () => db.exec('delete from inventory'),
    close() {
      db.close()
      rmSync(folder, { recursive: true })
    },
  }
}
