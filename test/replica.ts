import { env } from 'cloudflare:workers'
import { openTenant } from './tenant.ts'

interface Prepared {
  sql: string
  parameters: unknown[]
  bind: (...parameters: unknown[]) => Prepared
}

type Place = 'primary' | 'replica'

/**
 * The tenant's database with a copy that lags: `copy` brings it up to date, and nothing else does. `away` is how far
 * each of them is. A session that asks for a later state than the copy has gets it from the primary. As D1's, it keeps
 * the state that it was given if that is later than the one that answers.
 */
export async function openReplica(away: (place: Place) => Promise<unknown> = async () => {}) {
  await openTenant('demo')
  await openTenant('other')
  await dropTriggers(env.DB_OTHER)
  const asked: Record<Place, number> = { primary: 0, replica: 0 }
  let [written, copied] = [0, 0]
  const run = async (place: Place, statements: Prepared[]) => {
    asked[place] += 1
    await away(place)
    const db = place === 'primary' ? env.DB_DEMO : env.DB_OTHER
    const results = await db.batch(
      statements.map(({ sql, parameters }) => db.prepare(sql).bind(...parameters)),
    )
    if (results.some(({ meta }) => meta.changed_db)) written += 1
    return results
  }
  const withSession = (asks: string) => {
    let state = stateOf(asks)
    return {
      async batch(statements: Prepared[]) {
        const place: Place = state === null || state > copied ? 'primary' : 'replica'
        const results = await run(place, statements)
        state = Math.max(state ?? 0, place === 'primary' ? written : copied)
        return results
      },
      getBookmark: () => (state === null ? null : bookmarkOf(state)),
    }
  }
  const copy = async () => {
    await copyRows(env.DB_DEMO, env.DB_OTHER)
    copied = written
  }
  await copy()
  const database = {
    prepare: (sql: string) => prepared(sql, []),
    batch: (statements: Prepared[]) => run('primary', statements),
    withSession,
  }
  return { bindings: { ...env, DB_DEMO: database }, asked, copy }
}

function prepared(sql: string, parameters: unknown[]): Prepared {
  return { sql, parameters, bind: (...given) => prepared(sql, given) }
}

/** As D1 writes it. */
function bookmarkOf(state: number): string {
  return `${state.toString(16).padStart(8, '0')}-00000000-00004f00-${'0'.repeat(32)}`
}

function stateOf(asks: string): number | null {
  return asks.startsWith('first-') ? null : Number.parseInt(asks, 16)
}

async function dropTriggers(db: D1Database): Promise<void> {
  const { results } = await db
    .prepare("select name from sqlite_schema where type = 'trigger'")
    .all<{ name: string }>()
  if (results.length > 0) {
    await db.batch(results.map(({ name }) => db.prepare(`drop trigger ${name}`)))
  }
}

async function copyRows(from: D1Database, to: D1Database): Promise<void> {
  const { results } = await from
    .prepare(
      `select tables.name, group_concat(columns.name) as columns
       from pragma_table_list as tables, pragma_table_xinfo(tables.name) as columns
       where tables.type = 'table' and columns.hidden = 0 and tables.name not like 'sqlite_%'
         and tables.name not like '_cf_%' and tables.name <> 'd1_migrations'
       group by tables.name`,
    )
    .all<{ name: string; columns: string }>()
  const rows = await from.batch(results.map(({ name }) => from.prepare(`select * from ${name}`)))
  await to.batch([
    to.prepare('pragma defer_foreign_keys = on'),
    ...results.map(({ name }) => to.prepare(`delete from ${name}`)),
    ...results.map(({ name, columns }, index) =>
      to
        .prepare(
          `insert into ${name} (${columns}) select ${columns
            .split(',')
            .map((column) => `value ->> '${column}'`)
            .join(', ')} from json_each(?)`,
        )
        .bind(JSON.stringify(rows[index]?.results)),
    ),
  ])
}
