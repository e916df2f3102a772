import { unstable_splitSqlQuery as statementsOf } from 'wrangler'
import * as z from 'zod'
import type { Account, Database } from './account.ts'
import {
  type Call,
  type Endpoint,
  endpoint,
  jsonOf,
  Misunderstood,
  pageOf,
  Refusal,
  success,
} from './call.ts'
import { type Runtime, SqlError } from './runtime.ts'

const LOCATIONS = ['weur', 'eeur', 'apac', 'oc', 'wnam', 'enam'] as const
const JURISDICTIONS = ['eu', 'fedramp', 'us'] as const

const Creation = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-_]*$/),
  primary_location_hint: z.enum(LOCATIONS).optional(),
  jurisdiction: z.enum(JURISDICTIONS).optional(),
})
const Query = z.strictObject({ sql: z.string(), params: z.array(z.unknown()).optional() })

const DATABASES = '/accounts/:account/d1/database'

/** Databases, made, listed, asked and deleted. Their dumps are in transfer.ts. */
export function d1Endpoints(account: Account, runtime: Runtime): Endpoint[] {
  return [
    endpoint('d1.create', 'POST', DATABASES, async (call) => {
      const database = createDatabase(account, runtime, jsonOf(call, Creation))
      return success(await described(database, runtime))
    }),
    endpoint('d1.list', 'GET', DATABASES, (call) =>
      pageOf(call, [...account.databases.values()].map(summary)),
    ),
    endpoint('d1.info', 'GET', `${DATABASES}/:database`, async (call) =>
      success(await described(databaseOf(account, call), runtime)),
    ),
    endpoint('d1.delete', 'DELETE', `${DATABASES}/:database`, (call) => {
      account.databases.delete(databaseOf(account, call).uuid)
      return success(null)
    }),
    endpoint('d1.query', 'POST', `${DATABASES}/:database/query`, async (call) => {
      const { uuid } = databaseOf(account, call)
      const { sql, params = [] } = jsonOf(call, Query)
      return success(await ask(runtime, uuid, sql, params))
    }),
  ]
}

/** By id or by name, as the real one takes both. */
export function databaseOf(account: Account, call: Call): Database {
  const { database: wanted = '' } = call.params
  const found =
    account.databases.get(wanted) ??
    [...account.databases.values()].find(({ name }) => name === wanted)
  if (!found) throw new Refusal(404, 7404, `The database ${wanted} could not be found`)
  return found
}

/** Throws a Refusal when the name is taken. */
export function createDatabase(
  account: Account,
  runtime: Runtime,
  { name, primary_location_hint, jurisdiction }: z.infer<typeof Creation>,
): Database {
  if ([...account.databases.values()].some((database) => database.name === name)) {
    throw new Refusal(400, 7502, `Database with name '${name}' already exists`)
  }
  const uuid = runtime.spareDatabases.pop()
  if (!uuid) throw new Error('No spare database is left: see SPARE in runtime.ts.')
  const database: Database = {
    uuid,
    name,
    created_at: new Date().toISOString(),
    jurisdiction: jurisdiction ?? null,
    location: primary_location_hint ?? null,
  }
  account.databases.set(uuid, database)
  return database
}

/** Several statements of one text are one transaction. */
async function ask(runtime: Runtime, uuid: string, sql: string, params: unknown[]) {
  const statements = statementsOf(sql)
  if (params.length > 0 && statements.length > 1)
    throw new Misunderstood('params of many statements')
  try {
    return await runtime.query(
      uuid,
      statements.map((text) => ({ sql: text, params })),
    )
  } catch (error) {
    if (error instanceof SqlError) throw new Refusal(400, 7500, error.message)
    throw error
  }
}

function summary({ uuid, name, created_at, jurisdiction }: Database) {
  return { uuid, name, version: 'production', created_at, jurisdiction }
}

async function described(database: Database, runtime: Runtime) {
  const tables = `select count(*) as count from sqlite_master where type = 'table'
    and name not like 'sqlite_%' and name not like '\\_cf\\_%' escape '\\'`
  const [result] = await runtime.query(database.uuid, [{ sql: tables }])
  const region = { running_in_region: (database.location ?? 'weur').toUpperCase() }
  const size = result?.meta.size_after ?? 0
  const read_replication = { mode: 'disabled' }
  return {
    ...summary(database),
    num_tables: result?.results[0]?.count,
    file_size: size,
    ...region,
    read_replication,
  }
}
