import { describe, expect } from 'vitest'
import { deploy } from '../../scripts/deploy.ts'
import { resultOf } from './operator.ts'
import { it, type Staging } from './staging.ts'

const RESTORE_POINT = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/)
const NEW_CLASS = { new_tag: 'rate-limiter', steps: [{ new_sqlite_classes: ['RateLimiter'] }] }
const DEPLOYMENTS = ['script.put', 'version.create', 'deployment.create']

/** Calls that would put a new version at the Worker's place. */
const deployments = ({ cloudflare }: Staging) =>
  cloudflare.calls.map(({ kind }) => kind).filter((kind) => DEPLOYMENTS.includes(kind))

/** What uploads say of new classes of Durable Objects. */
const migrations = ({ cloudflare }: Staging) =>
  cloudflare.calls
    .filter(({ kind }) => ['script.put', 'version.create'].includes(kind))
    .map(({ body }) => (body as { metadata: { migrations?: object } }).metadata.migrations)

async function healthOf({ visit }: Staging, slug: string) {
  const answer = await visit(slug, '/healthz/')
  return { status: answer.status, body: await answer.json() }
}

describe('npm run deploy, asked for wrongly', () => {
  it.each([
    { args: [], says: 'deploy wants --env.\n\nUsage: npm run deploy -- --env <name>' },
    { args: ['staging'], says: "Unexpected argument 'staging'." },
    { args: ['--env', 'staging', '--now'], says: "Unknown option '--now'." },
    { args: ['--env', 'staging', '--wait', 'soon'], says: 'not "soon"' },
    { args: ['--env', 'moon'], says: 'There is no environment "moon" in wrangler.toml.' },
  ])('says so: $args', async ({ args, says }) => {
    await expect(deploy(args)).rejects.toMatchObject({
      name: 'Failure',
      exitCode: 2,
      message: expect.stringContaining(says),
    })
  })
})

describe.concurrent('npm run deploy', () => {
  it('shows its usage, and wants an environment', async ({ staging }) => {
    const usage = 'Usage: npm run deploy -- --env <name>'
    const helped = await staging.deploy('--help')
    expect(helped).toMatchObject({ code: 0, stdout: expect.stringContaining(usage), stderr: '' })
    const lost = await staging.deploy()
    expect(lost).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(usage) })
    expect(lost.stderr).not.toContain('    at ')
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
    expect(unknown.stderr).toMatch(/^beta cannot be asked: wrangler d1 execute: .*unknown error/m)
    outage.end()

    await project.write('migrations/0099_test.sql', 'SELECT 1;\n')
    const behind = await run()
    expect(behind).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(
        'Migrations are pending for acme, beta. First: npm run tenant -- migrate --all --env staging',
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

  it('deploys, and deployed again leaves all but the version as it is', async ({ staging }) => {
    const { cloudflare, project, wrangler } = staging
    await staging.add('acme')
    const run = () => staging.deploy('--env', 'staging')
    const deployed = 'crossdock-staging is deployed; tenants that answer: 1.\n'
    const first = await run()
    expect(first.code, first.stderr).toBe(0)
    expect(migrations(staging)).toEqual([NEW_CLASS])
    expect(
      first.stdout,
    ).toBe(`${deployed}Nobody can sign in to the dashboard before it has its secret:
  openssl rand -base64 32 | npx wrangler secret put SESSION_SECRET --env staging
`)
    const secret = ['secret', 'put', 'SESSION_SECRET', '--env', 'staging']
    await wrangler(secret, 'for tests only, for tests only, for tests only')
    const [before, toml] = [standing(staging), await project.read('wrangler.toml')]
    expect(before.scripts[0]?.bindings.map(({ name }) => name).toSorted()).toEqual([
      'BASE_DOMAIN',
      'DB_ACME',
      'KEYS',
      'RATE_LIMITER',
      'SESSION_SECRET',
    ])
    cloudflare.recover()

    const second = await run()
    expect(second.code, second.stderr).toBe(0)
    expect(second.stdout).toBe(deployed)
    expect(deployments(staging)).not.toEqual([])
    expect(migrations(staging)).toEqual([undefined])
    expect(standing(staging)).toEqual(before)
    expect(await project.read('wrangler.toml')).toBe(toml)
    cloudflare.recover()

    // The Worker is deployed and answers: a reminder that cannot be made is no failure.
    const outage = cloudflare.fail('secret.list', {
      when: 'before',
      where: () => cloudflare.calls.some(({ kind }) => kind === 'schedules.put'),
    })
    const third = await run()
    expect(outage.hits).toBeGreaterThan(0)
    expect([third.code, third.stdout], third.stderr).toEqual([0, deployed])

    // Of two branches that each add a migration, the later name may have been applied first.
    await project.write('migrations/0001a_late.sql', 'SELECT 1;\n')
    const late = await run()
    expect([late.code, late.stdout]).toEqual([1, ''])
    expect(late.stderr).toContain('Migrations are pending for acme.')
  })

  it('names the tenants that do not answer, which do once they are migrated', async ({
    staging,
  }) => {
    const { project, query, tenant } = staging
    await staging.add('acme', 'beta', 'gamma')
    // A build that knows of a migration before there is its file: nobody can see that it is due.
    const known = await project.read('src/db/migrations.ts')
    await project.write(
      'src/db/migrations.ts',
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
    const migrated = { tenant: 'beta', applied: ['0099_test.sql'], restore_point: RESTORE_POINT }
    const result = resultOf(await tenant('migrate', 'beta', '--json'))
    expect(result).toEqual({ migrated: [migrated], current: [] })
    expect(await healthOf(staging, 'beta')).toMatchObject({
      status: 200,
      body: { data: { tenant: 'beta', migration: '0099_test.sql' } },
    })
    expect(await healthOf(staging, 'gamma')).toMatchObject({ status: 503 })
  })
})

/** What the account holds, but for versions. */
function standing({ cloudflare }: Staging) {
  return {
    databases: cloudflare.databases(),
    namespaces: cloudflare.namespaces(),
    scripts: cloudflare.scripts().map((script) => ({
      ...script,
      bindings: script.bindings.toSorted((a, b) => a.name.localeCompare(b.name)),
    })),
  }
}
