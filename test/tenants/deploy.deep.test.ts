import { describe, expect } from 'vitest'
import { deployments } from './deploying.ts'
import { resultOf } from './operator.ts'
import { it, type Staging } from './staging.ts'

const RESTORE_POINT = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/)

async function healthOf({ visit }: Staging, slug: string) {
  const answer = await visit(slug, '/healthz/')
  return { status: answer.status, body: await answer.json() }
}

describe.concurrent('npm run deploy', () => {
  it('deploys nothing while the environment lacks what the Worker is bound to', async ({
    staging,
  }) => {
    const { cloudflare, project } = staging
    await staging.add('acme')
    const toml = await project.read('wrangler.toml')
    const lacking = toml
      .replace(/\[\[env\.staging\.ratelimits]]\n(?:.+\n)+/, '')
      .replace(/\[\[env\.staging\.durable_objects\.bindings]]\n(?:.+\n)+/, '')
    await project.write('wrangler.toml', lacking)
    const { code, stderr } = await staging.deploy('--env', 'staging')
    expect(code).toBe(1)
    expect(stderr).toContain(
      '[env.staging] in wrangler.toml lacks RATE_LIMITER, FAILED_LOOKUPS. Environments inherit no bindings: add the blocks, as in the other environments.',
    )
    expect(deployments(staging)).toEqual([])
    await project.write('wrangler.toml', toml)
    expect(await staging.deploy('--env', 'staging')).toMatchObject({ code: 0 })
    expect(cloudflare.scripts()).toHaveLength(1)
  })

  it('deploys nothing while a tenant would be cut off or lacks a migration', async ({
    staging,
  }) => {
    const { cloudflare, project, slugOf } = staging
    await staging.add('acme', 'beta')
    const run = () => staging.deploy('--env', 'staging')
    const before = await project.read('wrangler.toml')

    const outage = cloudflare.fail('d1.query', {
      when: 'before',
      where: (call) => slugOf(call) === 'beta',
    })
    const unknown = await run()
    expect([unknown.code, unknown.stdout]).toEqual([1, ''])
    expect(unknown.stderr).toMatch(/^beta could not be read: wrangler d1 execute: .*unknown error/m)
    await outage.end()

    await project.write('migrations/0099_test.sql', 'SELECT 1;\n')
    const behind = await run()
    expect(behind).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(
        'Migrations are pending for acme, beta. First run: npm run tenant -- migrate --all --env staging',
      ),
    })

    cloudflare.create('crossdock-staging-lost')
    const cut = await run()
    expect(cut).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('wrangler.toml has no block for crossdock-staging-lost: a'),
    })

    expect(deployments(staging)).toEqual([])
    expect(cloudflare.scripts()).toEqual([])
    expect(await project.read('wrangler.toml')).toBe(before)
  })

  it('names the tenants that do not answer, which do once they are migrated', async ({
    staging,
  }) => {
    const { project, query, tenant } = staging
    await staging.add('acme', 'beta', 'gamma')
    // A build that knows of a migration before there is its file: nobody can see that it is due.
    const known = await project.read('src/engine/db/migrations.ts')
    await project.write(
      'src/engine/db/migrations.ts',
      known.replace(/(MIGRATIONS = \[[^\]]*?),?\s*\]/, "$1, '0099_test.sql']"),
    )
    await query('acme', "INSERT INTO d1_migrations (name) VALUES ('0099_test.sql');")
    const { code, stdout, stderr } = await staging.deploy('--env', 'staging', '--wait', '1')
    const fault = (slug: string) =>
      `https://${slug}.staging.crossdock.example does not answer for ${slug} yet: 503 The database lacks the migration 0099_test.sql.`
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(
      ['crossdock-staging is deployed. Tenants that do not answer: 2 of 3.', fault('beta')].join(
        '\n',
      ),
    )
    expect(stderr.trim().split('\n').slice(-2)).toEqual([fault('beta'), fault('gamma')])
    expect(await healthOf(staging, 'acme')).toMatchObject({ status: 200 })
    expect(await healthOf(staging, 'beta')).toMatchObject({
      status: 503,
      body: { error: { message: 'The database lacks the migration 0099_test.sql.' } },
    })

    await project.write('migrations/0099_test.sql', 'SELECT 1;\n')
    const migrated = {
      tenant: 'beta',
      applied: ['0099_test.sql'],
      recorded: [],
      restore_point: RESTORE_POINT,
    }
    const result = resultOf(await tenant('migrate', 'beta', '--json'))
    expect(result).toEqual({ migrated: [migrated], current: [] })
    expect(await healthOf(staging, 'beta')).toMatchObject({
      status: 200,
      body: { data: { tenant: 'beta', migration: '0099_test.sql' } },
    })
    expect(await healthOf(staging, 'gamma')).toMatchObject({ status: 503 })
  })
})
