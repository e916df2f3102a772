import { describe, expect } from 'vitest'
import { MIGRATIONS } from '../../src/engine/db/migrations.ts'
import { deployments } from './deploying.ts'
import { it, type Staging } from './staging.ts'

const NEWEST = MIGRATIONS.at(-1)?.slice(0, 4)
const SECRET = ['secret', 'put', 'SESSION_SECRET', '--env', 'staging']
const TEXT = 'for tests only, for tests only, for tests only'

const run = (staging: Staging, ...args: string[]) => staging.deploy('--env', 'staging', ...args)

async function deployed(staging: Staging): Promise<void> {
  const { code, stderr } = await run(staging)
  expect(code, stderr).toBe(0)
}

/** The folder has newer code from now on: `/healthz/` tells another version. */
async function newerCode({ project }: Staging, version = '0.2.0'): Promise<void> {
  const text = await project.read('package.json')
  await project.write('package.json', text.replace(/"version": "[^"]+"/, `"version": "${version}"`))
}

/** The folder has a migration more, which every tenant has. */
async function newMigration(staging: Staging, sql: string): Promise<void> {
  await staging.project.write('migrations/0098_test.sql', sql)
  const migrated = await staging.tenant('migrate', '--all')
  expect(migrated.code, migrated.stderr).toBe(0)
}

async function versionAt({ visit }: Staging, slug: string): Promise<string> {
  const { data } = (await (await visit(slug, '/healthz/')).json()) as { data: { version: string } }
  return data.version
}

// Each deploys several times, which takes some ten seconds each time.
describe.concurrent('npm run deploy -- --rollback', () => {
  it('goes back to the code of before, with every tenant that there is', async ({ staging }) => {
    await staging.add('acme')
    await deployed(staging)
    await staging.wrangler(SECRET, TEXT)
    // The same code once more, with one tenant more.
    await staging.add('beta')
    await deployed(staging)
    const none = await run(staging, '--rollback')
    expect(none).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No version with other code has been deployed to'),
    })
    await newerCode(staging)
    // A migration that older code may go on with.
    await newMigration(staging, 'CREATE TABLE extra (id INTEGER PRIMARY KEY);\n')
    await deployed(staging)
    expect(await versionAt(staging, 'acme')).toBe('0.2.0')

    staging.cloudflare.recover()
    const dry = await run(staging, '--rollback', '--dry-run')
    expect(dry.code, dry.stderr).toBe(0)
    expect(deployments(staging)).toEqual([])
    const { code, stdout, stderr } = await run(staging, '--rollback')
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(
      new RegExp(
        `^crossdock-staging is rolled back to 0\\.1\\.0\\+${NEWEST} \\([0-9a-f-]{36}, dep`,
      ),
    )
    expect(stderr).toMatch(
      new RegExp(`^ {2}from {2}0\\.2\\.0\\+0098 .*\\n {2}to {4}0\\.1\\.0\\+${NEWEST} `, 'm'),
    )
    expect(deployments(staging)).toEqual(['deployment.create'])
    expect(await versionAt(staging, 'acme')).toBe('0.1.0')
    expect(await versionAt(staging, 'beta')).toBe('0.1.0')

    // A new tenant would bring the newer code back, for all.
    const other = await staging.tenant('create', 'gamma')
    expect(other).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `crossdock-staging serves 0.1.0+${NEWEST}, and this folder has 0.2.0+0098. Adding a tenant`,
      ),
    })
    expect(staging.cloudflare.databases().map(({ name }) => name)).not.toContain(
      'crossdock-staging-gamma',
    )

    // And forward again, by the id that the rollback has told.
    const [, id = ''] = /from {2}0\.2\.0\S* \((\S+),/.exec(stderr) ?? []
    const forward = await run(staging, '--rollback', '--to', id)
    expect(forward.code, forward.stderr).toBe(0)
    expect(await versionAt(staging, 'beta')).toBe('0.2.0')
  })

  it('refuses, and names all that the old version would break', async ({ staging }) => {
    const { cloudflare, project } = staging
    await staging.add('acme', 'gone')
    await deployed(staging)
    await newerCode(staging)
    await newMigration(staging, '-- Needs code of 0098: code from before loses notes.\nSELECT 1;\n')
    await staging.add('beta')
    const removed = await staging.tenant('remove', 'gone', '--no-export', '--confirm', 'gone')
    expect(removed.code, removed.stderr).toBe(0)
    const toml = await project.read('wrangler.toml')
    await project.write('wrangler.toml', toml.replaceAll('limit = 99', 'limit = 50'))
    await staging.wrangler(['secret', 'put', 'WEBHOOK_SECRET_KEY_2', '--env', 'staging'], TEXT)
    await deployed(staging)

    cloudflare.recover()
    const { code, stdout, stderr } = await run(staging, '--rollback')
    expect([code, stdout]).toEqual([1, ''])
    const [, ...lines] = stderr.slice(stderr.indexOf('crossdock-staging cannot')).trim().split('\n')
    expect(lines).toEqual([
      '  It has no binding for tenants, which would be cut off: beta.',
      '  It is bound to tenants that were removed: gone.',
      '  It has other values for bindings: FAILED_LOOKUPS.',
      '  It lacks secrets: WEBHOOK_SECRET_KEY_2.',
      '  The migration 0098_test.sql is in the way: code from before loses notes.',
      expect.stringContaining('check that code out, keep today'),
    ])
    expect(deployments(staging)).toEqual([])
    expect(await versionAt(staging, 'acme')).toBe('0.2.0')
  })

  it('leaves changed secrets to the operator, and a version without a tag alone', async ({
    staging,
  }) => {
    await staging.add('acme')
    const first = await staging.wrangler(['deploy', '--env', 'staging'])
    expect(first.code, first.stderr).toBe(0)
    await staging.wrangler(SECRET, TEXT)
    await newerCode(staging)
    await deployed(staging)
    const untagged = await run(staging, '--rollback')
    expect(untagged).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('which migrations its code knows: it has no tag.'),
    })
    // The deployment has given the code of before the secret that it lacked, too.
    expect(untagged.stderr).not.toContain('It lacks secrets')
    await newerCode(staging, '0.3.0')
    await deployed(staging)
    await staging.wrangler(SECRET, `another, ${TEXT}`)
    const { code, stderr } = await run(staging, '--rollback')
    expect(code).toBe(1)
    expect(stderr).toContain(
      'Cloudflare refuses the rollback: The following secrets have changed: SESSION_SECRET [code: 10220] Secrets',
    )
    expect(await versionAt(staging, 'acme')).toBe('0.3.0')
  })
})
