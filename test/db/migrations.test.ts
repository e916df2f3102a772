import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { MIGRATIONS } from '../../src/db/migrations.ts'

// Commit dd24240 had these, and no 0004.
const EARLIER = [
  '0001_initial.sql',
  '0002_audit_retention.sql',
  '0003_releases_and_rate_limits.sql',
  '0005_order_sizes.sql',
]

async function namesOfApplied() {
  const { results } = await env.DB_DEMO.prepare('select name from d1_migrations order by id').all()
  return results.map(({ name }) => name)
}

describe('the migrations that a build knows', () => {
  it('are the files of migrations/, in their order', () => {
    expect(MIGRATIONS).toEqual(env.MIGRATIONS.map(({ name }) => name))
  })

  it('can be applied to a database that an earlier commit has migrated', async () => {
    const earlier = env.MIGRATIONS.filter(({ name }) => EARLIER.includes(name))
    await applyD1Migrations(env.DB_DEMO, earlier)
    expect(await namesOfApplied()).toEqual(EARLIER)

    await applyD1Migrations(env.DB_DEMO, env.MIGRATIONS)

    const later = MIGRATIONS.filter((name) => !EARLIER.includes(name))
    expect(await namesOfApplied()).toEqual([...EARLIER, ...later])
  })
})
