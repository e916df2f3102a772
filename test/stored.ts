import { env } from 'cloudflare:workers'

/** All that the tenant has stored, in D1, KV and R2, but the rows of dry runs in the audit log. */
export async function storedNow(db: D1Database): Promise<Record<string, unknown>> {
  const { results: schema } = await db
    .prepare("select type, name, sql from sqlite_master where name not like '\\_cf%' escape '\\'")
    .all<{ type: string; name: string }>()
  const tables = schema.filter(({ type }) => type === 'table').map(({ name }) => name)
  const contents = await db.batch(
    tables.map((table) => {
      const real = table === 'audit_log' ? ' where not dry_run' : ''
      return db.prepare(`select * from "${table}"${real}`)
    }),
  )
  const [keys, documents] = [await env.KEYS.list(), await env.DOCUMENTS.list()]
  return {
    schema,
    ...Object.fromEntries(tables.map((table, at) => [table, contents[at]?.results])),
    keys: keys.keys,
    documents: documents.objects.map(({ key, etag }) => [key, etag]),
  }
}
