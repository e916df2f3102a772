import { describe, expect } from 'vitest'
import { ENTRIES, expectApart, leader, limit, ROUTER } from './grouping.ts'
import { resultOf } from './operator.ts'
import { it } from './staging.ts'

describe('npm run tenant -- create, when a group is full', () => {
  it('begins the next group, and leads every tenant to its own', async ({ staging }) => {
    const { cloudflare, project } = staging
    await limit(staging, 1)
    const [acme = ''] = await staging.add('acme')
    const deployed = await staging.deploy('--env', 'staging')
    expect(deployed.code, deployed.stderr).toBe(0)
    const before = await project.read('wrangler.toml')

    const creating = await staging.tenant('create', 'bravo', '--json')
    const { settings_key: bravo } = resultOf(creating)
    expect(creating.stderr).toContain('Each group of staging is full (tenants: 1).')

    expect(leader(staging)).toEqual([ROUTER])
    expect(await cloudflare.values(ENTRIES)).toEqual({ acme: '1', bravo: '2' })
    const bound = Object.fromEntries(
      cloudflare.scripts().map(({ name, bindings }) => [name, bindings.map((each) => each.name)]),
    )
    expect(bound).toEqual({
      'crossdock-staging': expect.arrayContaining(['DB_ACME', 'KEYS']),
      'crossdock-staging-2': expect.arrayContaining([
        'DB_BRAVO',
        'KEYS',
        'RATE_LIMITER',
        'SESSION_SECRET',
        'WEBHOOK_SECRET_KEY',
      ]),
      [ROUTER]: expect.arrayContaining(['GROUPS', 'GROUP_1', 'GROUP_2', 'BASE_DOMAIN']),
    })
    expect(bound['crossdock-staging-2']).not.toContain('DB_ACME')
    await expectApart(staging, { acme, bravo })
    expect((await staging.visit('nobody', '/healthz/')).status).toBe(404)

    const after = await project.read('wrangler.toml')
    const moved = after.replace('# wrangler.router.toml has the routes.\n', '')
    const [routes = ''] = /^routes = .*staging.*\n/m.exec(before) ?? []
    expect(moved.startsWith(before.replace(routes, '').trimEnd())).toBe(true)
    expect(await project.read('wrangler.router.toml')).toContain(routes)

    const listed = resultOf(await staging.tenant('list', '--json'))
    expect(listed.tenants.map(({ tenant }: { tenant: string }) => tenant)).toEqual([
      'acme',
      'bravo',
    ])
  })
})
