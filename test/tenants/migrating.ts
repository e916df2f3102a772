import { expect } from 'vitest'
import type { Staging } from './staging.ts'

export const SLUGS = ['acme', 'beta', 'gamma']

export const FILE = '0099_test.sql'

export const WRITES = /\b(CREATE|INSERT|UPDATE|DELETE|ALTER|DROP)\b/

/** Fails where two products cost the same. */
export const MIGRATION = `CREATE TABLE notices (id INTEGER PRIMARY KEY) STRICT;
CREATE UNIQUE INDEX products_cost ON products (cost);
`

export async function addMigration({ project }: Staging): Promise<void> {
  await project.write(`migrations/${FILE}`, MIGRATION)
}

/** Whether each tenant has the migration: its tables, and wrangler's record of it. */
export async function applied({ query }: Staging): Promise<Record<string, boolean>> {
  const found: Record<string, boolean> = {}
  for (const slug of SLUGS) {
    const tables = await query(slug, "SELECT 1 FROM sqlite_master WHERE name = 'notices'")
    const records = await query(slug, `SELECT 1 FROM d1_migrations WHERE name = '${FILE}'`)
    expect(records, slug).toHaveLength(tables.length)
    found[slug] = tables.length > 0
  }
  return found
}

/** Slug and kind of every call that marks a restore point or writes, of repeated ones the first. */
export function effects({ cloudflare, slugOf }: Staging): string[] {
  const lines = cloudflare.calls.flatMap((call) => {
    if (call.kind === 'd1.bookmark') return [`${slugOf(call)} restore point`]
    const written = call.kind === 'd1.query' && WRITES.test(JSON.stringify(call.body))
    return written ? [`${slugOf(call)} write`] : []
  })
  return lines.filter((line, index) => line !== lines[index - 1])
}

export const turnOf = (slug: string) => [`${slug} restore point`, `${slug} write`]
