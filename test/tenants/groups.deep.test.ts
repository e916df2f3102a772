import { describe, expect } from 'vitest'
import { DEPLOYMENTS } from './deploying.ts'
import { ENTRIES, expectApart, LIFE_MS_MAX, leader, limit, ROUTER, startFull } from './grouping.ts'
import { resultOf } from './operator.ts'
import { it } from './staging.ts'

const slugsIn = ({ tenants }: { tenants: { tenant: string }[] }) =>
  tenants.map(({ tenant }) => tenant)

describe('an environment with several groups', () => {
  it('does with all of them what it does with one', { timeout: LIFE_MS_MAX }, async ({
    staging,
  }) => {
    const { cloudflare, project } = staging
    const keys = await startFull(staging)
    const planned = resultOf(await staging.tenant('create', 'carol', '--dry-run', '--json'))
    expect(planned.steps).toEqual([
      'add the group staging-2 to wrangler.toml',
      'create the database crossdock-staging-2-carol',
      'add its block to wrangler.toml',
      expect.stringMatching(/^apply 0001/),
      'write workspace and first settings key',
      'deploy crossdock-staging-2',
      `create the namespace ${ENTRIES}`,
      'write the group of each tenant',
      `deploy ${ROUTER}`,
      'give it the route *.staging.crossdock.example/*',
      'wait until https://carol.staging.crossdock.example answers',
    ])
    for (const slug of ['carol', 'dave', 'erin']) {
      keys[slug] = resultOf(await staging.tenant('create', slug, '--json')).settings_key
    }
    expect(await cloudflare.values(ENTRIES)).toEqual({
      acme: '1',
      bravo: '1',
      carol: '2',
      dave: '2',
      erin: '3',
    })
    await expectApart(staging, keys)
    const again = await staging.tenant('create', 'carol')
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists') })

    expect(slugsIn(resultOf(await staging.tenant('list', '--json')))).toEqual(Object.keys(keys))
    const status = resultOf(await staging.tenant('status', 'dave', '--json'))
    expect(status.database).toBe('crossdock-staging-2-dave')
    expect((await staging.tenant('status', 'nobody')).stderr).toContain(
      'There is no tenant nobody in staging.',
    )
    const { settings_key } = resultOf(await staging.tenant('key', 'erin', '--json'))
    await expectApart(staging, { ...keys, erin: settings_key })

    await project.write('migrations/9999_last.sql', 'CREATE TABLE last (a INTEGER) STRICT;')
    const refused = await staging.deploy('--env', 'staging')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--env staging') })
    const migrated = resultOf(await staging.tenant('migrate', '--all', '--json'))
    expect(migrated.migrated.map(({ tenant }: { tenant: string }) => tenant)).toEqual(
      Object.keys(keys),
    )
    const backup = resultOf(await staging.tenant('backup', '--all', '--into', 'all', '--json'))
    expect(slugsIn(backup)).toEqual(Object.keys(keys))

    const removed = resultOf(
      await staging.tenant('remove', 'carol', '--confirm', 'carol', '--export', 'c.sql', '--json'),
    )
    expect(removed).toMatchObject({ tenant: 'carol', removed: true })
    expect(await cloudflare.values(ENTRIES)).not.toHaveProperty('carol')
    expect((await staging.visit('carol', '/healthz/')).status).toBe(404)
    const back = await staging.tenant('import', 'carol', 'c.sql')
    expect(back.code, back.stderr).toBe(0)
    expect((await cloudflare.values(ENTRIES)).carol).toBe('2')
    await expectApart(staging, { ...keys, erin: settings_key })
    expect(
      cloudflare
        .scripts()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([ROUTER, 'crossdock-staging', 'crossdock-staging-2', 'crossdock-staging-3'])
  })

  it('deploys them in turn, says which are done, and goes on', { timeout: LIFE_MS_MAX }, async ({
    staging,
  }) => {
    const { cloudflare } = staging
    await limit(staging, 1)
    await staging.add('acme')
    await staging.deploy('--env', 'staging')
    resultOf(await staging.tenant('create', 'bravo', '--json'))
    const dry = await staging.deploy('--env', 'staging', '--dry-run')
    expect(dry.stdout).toBe('Dry run: crossdock-staging, crossdock-staging-2 were not deployed.\n')
    for (const kind of DEPLOYMENTS) {
      cloudflare.fail(kind, {
        when: 'before',
        where: ({ params }) => params.script === 'crossdock-staging',
      })
    }
    const failed = await staging.deploy('--env', 'staging')
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain(
      `Workers deployed: crossdock-staging-2, ${ROUTER}. Not: crossdock-staging.`,
    )
    cloudflare.recover()
    const { code, stdout, stderr } = await staging.deploy('--env', 'staging')
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('crossdock-staging-2 is deployed; tenants that answer: 1.')
    expect(stdout).toContain('crossdock-staging is deployed; tenants that answer: 1.')
    expect(leader(staging)).toEqual([ROUTER])

    await staging.project.write(
      'src/engine/answers/healthz.ts',
      (await staging.project.read('src/engine/answers/healthz.ts')).replace('10_000', '10_001'),
    )
    expect((await staging.deploy('--env', 'staging')).code).toBe(0)
    const rolled = await staging.deploy('--env', 'staging', '--rollback')
    expect(rolled.code, rolled.stderr).toBe(0)
    expect(rolled.stdout).toMatch(/crossdock-staging is rolled back[\s\S]*-2 is rolled back/)
    const alone = await staging.deploy('--env', 'staging-2')
    expect(alone.stdout).toContain('crossdock-staging-2 is deployed; tenants that answer: 1.')
  })
})
