import worker, { DeliveryDriver, RateLimiter } from '../src/index.ts'

export { DeliveryDriver, RateLimiter }

const PRIMARY_MS = 200
const REPLICA_MS = 20

/** The Worker with a database far away, and a copy of it that is near. The copy never lags: this measures distance only. */
export default {
  async fetch(request, env, context) {
    return await worker.fetch(request, { ...env, DB_DEMO: distant(env.DB_DEMO) }, context)
  },
} satisfies ExportedHandler<Cloudflare.Env>

function distant(database: D1Database): D1Database {
  const far: Pick<D1Database, 'prepare' | 'batch' | 'withSession'> = {
    prepare: (query) => database.prepare(query),
    batch: (statements) => after(PRIMARY_MS, () => database.batch(statements)),
    withSession(asks) {
      const session = database.withSession(asks)
      let ms = asks?.startsWith('first-') ? PRIMARY_MS : REPLICA_MS
      return {
        prepare: (query) => session.prepare(query),
        async batch<T>(statements: D1PreparedStatement[]) {
          const results = await after(ms, () => session.batch<T>(statements))
          ms = REPLICA_MS
          return results
        },
        getBookmark: () => session.getBookmark(),
      } as D1DatabaseSession
    },
  }
  return far as D1Database
}

async function after<T>(ms: number, call: () => Promise<T>): Promise<T> {
  await scheduler.wait(ms)
  return await call()
}
