import { describe, expect } from 'vitest'
import { addMigration, applied, effects, FILE, MIGRATION, SLUGS, turnOf } from './migrating.ts'
import { resultOf } from './operator.ts'
import { it } from './staging.ts'

const RESTORE_POINT = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/)

describe.concurrent('npm run tenant -- migrate', () => {
  it('migrates one tenant, once it has printed the restore point', async ({ staging }) => {
    await staging.add(...SLUGS)
    await addMigration(staging)
    const { code, stdout, stderr } = await staging.tenant('migrate', 'beta')
    expect([code, stdout]).toEqual([0, `beta: ${FILE} applied\n`])
    expect(stderr).toMatch(
      /^beta: 0099_test\.sql\n {2}Restore point \.\.\. [0-9a-f-]{59} \(.*\n {2}Applying \.\.\. done/m,
    )
    expect(effects(staging)).toEqual(turnOf('beta'))
    expect(await applied(staging)).toEqual({ acme: false, beta: true, gamma: false })
  })

  it('stops at the first failure of any kind, and goes on from there', async ({ staging }) => {
    const { cloudflare, query, slugOf, tenant } = staging
    await staging.add(...SLUGS)
    await addMigration(staging)
    await query(
      'beta',
      `INSERT INTO products (id, sku, cost, created_at, updated_at)
         VALUES ('1', 'a', '2.50', '', ''), ('2', 'b', '2.50', '', '');`,
    )

    const planned = resultOf(await tenant('migrate', '--all', '--dry-run', '--json'))
    const pending = { acme: [FILE], beta: [FILE], gamma: [FILE] }
    expect(planned).toEqual({ dry_run: true, pending, current: [] })
    expect(effects(staging)).toEqual([])

    const refused = await tenant('migrate', '--all', '--json')
    expect(refused.code).toBe(1)
    const { error, ...progress } = JSON.parse(refused.stdout)
    expect(refused.stderr).toContain(`\n${error}\n`)
    expect(error).toMatch(/^beta: wrangler d1 migrations apply: .*products\.cost/)
    expect(error).toContain('\nDone: acme. Not done: beta, gamma.\nFix the cause and run it again')
    expect(error).toContain('npm run tenant -- migrate --all --env staging')
    const done = { tenant: 'acme', applied: [FILE], recorded: [], restore_point: RESTORE_POINT }
    expect(progress).toEqual({ migrated: [done], not_migrated: ['beta', 'gamma'], current: [] })
    expect(effects(staging)).toEqual([...turnOf('acme'), ...turnOf('beta')])
    expect(await applied(staging)).toEqual({ acme: true, beta: false, gamma: false })

    await query('beta', "UPDATE products SET cost = '2.60' WHERE sku = 'b';")
    const failAtGamma = (when: 'before' | 'after') => {
      cloudflare.recover()
      return cloudflare.fail('d1.query', {
        when,
        where: (call) => slugOf(call) === 'gamma' && JSON.stringify(call.body).includes(FILE),
      })
    }
    const before = failAtGamma('before')
    const failed = await tenant('migrate', '--all')
    expect([before.hits, failed.code, failed.stdout]).toEqual([1, 1, ''])
    expect(failed.stderr).toMatch(/^gamma: wrangler d1 migrations apply: .*unknown error/m)
    expect(failed.stderr).toContain(
      'It has none of them. A migration that failed has changed nothing.',
    )
    expect(failed.stderr).toContain("D1 fails: look at Cloudflare's status page")
    expect(failed.stderr).toContain('Done: beta. Not done: gamma.\nAlready current: acme\n')
    expect(effects(staging)).toEqual([...turnOf('beta'), ...turnOf('gamma')])
    expect(await applied(staging)).toEqual({ acme: true, beta: true, gamma: false })

    // The answer is lost, and the migration is there.
    const after = failAtGamma('after')
    const unheard = await tenant('migrate', 'gamma')
    expect([after.hits, unheard.code, unheard.stdout]).toEqual([1, 0, `gamma: ${FILE} applied\n`])
    expect(await applied(staging)).toEqual({ acme: true, beta: true, gamma: true })

    cloudflare.recover()
    const { code, stdout } = await tenant('migrate', '--all')
    expect([code, stdout]).toEqual([0, 'Already current: acme, beta, gamma\n'])
    expect(effects(staging)).toEqual([])
  })

  it('stops at a database that is full, and says how to make room', async ({ staging }) => {
    const { cloudflare, tenant } = staging
    await staging.add('acme')
    await addMigration(staging)
    const where = (call: { body: unknown }) => JSON.stringify(call.body).includes('notices')
    cloudflare.fail('d1.query', { when: 'before', as: 'full', where })
    const full = await tenant('migrate', 'acme')
    expect(full.code).toBe(1)
    expect(full.stderr).toContain('make room first (docs/operations.md, "A full database")')
    cloudflare.recover()
    expect((await tenant('migrate', 'acme')).code).toBe(0)
  })

  it('applies nothing over a migration that is there in part, and records one that is whole', async ({
    staging,
  }) => {
    const { query, tenant } = staging
    await staging.add('acme')
    await addMigration(staging)
    const [table = '', index = ''] = MIGRATION.split(';\n')
    await query('acme', table)
    const half = await tenant('migrate', 'acme')
    expect(half.code).toBe(1)
    expect(half.stderr).toContain(`acme: ${FILE} is there in part. Nothing was changed now.`)
    expect(half.stderr).toMatch(/as after it: {2}notices\n {2}not so: {7}products_cost\n/)
    expect(half.stderr).toContain('npm run tenant -- restore acme --to <time> --env staging')
    await query('acme', index)
    const { code, stdout } = await tenant('migrate', 'acme')
    expect([code, stdout]).toEqual([0, `acme: ${FILE} was there, recorded now\n`])
    const again = await tenant('migrate', 'acme')
    expect(again.stdout).toBe('Already current: acme\n')
  })

  it('sends the whole file where D1 cuts a statement in two, and records it once', async ({
    staging,
  }) => {
    const { cloudflare, query, tenant } = staging
    await staging.add('acme')
    await addMigration(staging)
    const split = cloudflare.fail('d1.query', {
      when: 'before',
      as: 'split',
      where: (call) => JSON.stringify(call.body).includes('CREATE TABLE notices'),
    })
    const { code, stdout } = await tenant('migrate', 'acme')
    expect([split.hits, code, stdout]).toEqual([1, 0, `acme: ${FILE} applied\n`])
    const records = await query('acme', `SELECT 1 FROM d1_migrations WHERE name = '${FILE}'`)
    const tables = await query('acme', "SELECT 1 FROM sqlite_master WHERE name = 'notices'")
    expect([records.length, tables.length]).toEqual([1, 1])
  })

  it('changes nothing when a tenant cannot be asked, and names it', async ({ staging }) => {
    const { cloudflare, slugOf, tenant } = staging
    await staging.add(...SLUGS)
    await addMigration(staging)
    cloudflare.fail('d1.query', { when: 'before', where: (call) => slugOf(call) === 'beta' })
    const { code, stdout, stderr } = await tenant('migrate', '--all', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      error: expect.stringMatching(/^beta could not be read: wrangler d1 execute: .*unknown error/),
    })
    expect(stderr).toContain('beta could not be read: ')
    expect(effects(staging)).toEqual([])
  })

  it('says so where there is nothing to do', async ({ staging }) => {
    const none = await staging.tenant('migrate', '--all')
    expect([none.code, none.stdout]).toEqual([0, 'There are no tenants in staging yet.\n'])
    await staging.add('acme')
    const planned = resultOf(await staging.tenant('migrate', 'acme', '--dry-run', '--json'))
    expect(planned).toEqual({ dry_run: true, pending: {}, current: ['acme'] })
  })
})

describe('npm run tenant -- create, of a tenant that has lost its block', () => {
  it('applies what its database lacks before it is deployed', async ({ staging }) => {
    const { project, add, query, tenant } = staging
    const before = await project.read('wrangler.toml')
    await add('acme')
    await project.write('wrangler.toml', before)
    await project.write('migrations/0099_test.sql', 'CREATE TABLE test (a TEXT) STRICT;')
    expect(resultOf(await tenant('create', 'acme', '--json'))).toMatchObject({ settings_key: null })
    const applied = await query('acme', "SELECT name FROM d1_migrations WHERE name LIKE '0099%'")
    expect(applied).toEqual([{ name: '0099_test.sql' }])
  })
})
