import { describe, expect, it, vi } from 'vitest'
import { deploy } from '../../scripts/deploy.ts'
import { openEnvironment } from '../../scripts/tenant/environment.ts'
import { deployRouter } from '../../scripts/tenant/router.ts'
import { itInDeep } from '../fixtures/depth.ts'
import { blocksOf, ROUTES, routerOf } from './account.ts'
import { account } from './in-account.ts'

vi.mock('../../scripts/tenant/wrangler.ts', async () => (await import('./in-account.ts')).wrangler)

const run = (...args: string[]) => deploy(['--env', 'production', ...args])

const ALL = [
  'deploy production-2',
  'write entries',
  'deploy router of production',
  'deploy production',
]

describe('npm run deploy, of groups', () => {
  itInDeep('waits for tenants from the end of their deployment on', async () => {
    const timeout = AbortSignal.timeout
    const begun: string[] = []
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      if (ms === 7000) begun.push(`after ${account.changes.at(-1)}`)
      return timeout.call(AbortSignal, ms)
    })
    expect(await run('--wait', '7')).toBe(0)
    expect(begun).toEqual(['after deploy production-2', 'after deploy production'])
    expect(account.changes).toEqual(ALL)
  })

  it('says which are done when one fails, and to run it again', async () => {
    account.statusOf = (slug) =>
      slug === 'acme' && account.changes.includes('deploy production') ? 503 : 200
    await expect(run('--wait', '0')).rejects.toThrow(
      /^crossdock-production is deployed\. Tenants that do not answer: 1 of 1\.\n.*\nWorkers deployed: crossdock-production-2, crossdock-router-production\. Not: crossdock-production\. Fix the cause and run it again\.$/,
    )
  })

  it.each([
    ['no router yet', 'name = "crossdock-router"\n', true],
    ['a router without the routes', routerOf(2, ''), false],
  ])('tells in a dry run what it does for the router: %s', async (_, router, isNew) => {
    const toml = await account.read('wrangler.toml')
    await account.write('wrangler.toml', toml.replace('[env.production]', `$&\n${ROUTES}`))
    await account.write('wrangler.router.toml', router)
    expect(await run('--dry-run')).toBe(0)
    const lines = account.printed().match(/(?<=^ {2}router {6}).*/gm)
    expect(lines).toEqual([
      ...(isNew ? ['create the namespace crossdock-router-production-groups'] : []),
      'write the group of each tenant',
      'deploy crossdock-router-production',
      'give it the route *.crossdock.example/*',
    ])
    expect(account.changes).toEqual([])
  })

  it('tells nothing of a router that is whole', async () => {
    expect(await run('--dry-run')).toBe(0)
    expect(account.printed()).not.toContain('router  ')
  })
})

describe('groups that differ', () => {
  const HEADING =
    'The groups of production and its router must have the same as [env.production] in wrangler.toml, and these differ:'
  const ADVICE =
    "Make them the same. Only name, routes, tenants and the id of KEYS are a group's own."

  const inSecond = (text: string, changed: string) => async () => {
    const [before, second = ''] = (await account.read('wrangler.toml')).split('[env.production-2]')
    const other = `[env.production-2]${second}`.replace(text, changed)
    await account.write('wrangler.toml', before + other)
  }
  const inRouter = (text: string, changed: string) => async () => {
    const toml = await account.read('wrangler.router.toml')
    await account.write('wrangler.router.toml', toml.replace(text, changed))
  }

  it.each([
    ['a bucket', inSecond('"documents"', '"others"'), 'r2_buckets DOCUMENTS'],
    ['a variable', inSecond('[env.production-2.vars]', '$&\nMORE = 1'), 'vars MORE'],
    ['a binding less', inSecond('"KEYS"', '"CACHE"'), 'kv_namespaces KEYS, kv_namespaces CACHE'],
    ['a counter', inSecond('limit = 99', 'limit = 9'), 'ratelimits FAILED_LOOKUPS'],
    ['a setting', inSecond(']', ']\nplacement = { mode = "smart" }'), 'placement'],
  ])('are refused, and named: %s', async (_, change, names) => {
    await change()
    for (const args of [[], ['--env', 'production-2']]) {
      await expect(run(...args)).rejects.toThrow(
        [HEADING, `  [env.production-2] in wrangler.toml: ${names}`, ADVICE].join('\n'),
      )
    }
    expect(account.changes).toEqual([])
  })

  it.each([
    ['its domain', inRouter('"crossdock.example"\n\n', '"b.example"\n\n'), 'vars BASE_DOMAIN'],
    ['its counter', inRouter('period = 60', 'period = 10'), 'ratelimits FAILED_LOOKUPS'],
    [
      'a group with another domain',
      inSecond('crossdock.example', 'b.example'),
      'services GROUP_2 (crossdock-production-2 is no group of production)',
    ],
  ])('from the router are too: %s', async (_, change, names) => {
    await change()
    await expect(run()).rejects.toThrow(
      [HEADING, `  [env.production] in wrangler.router.toml: ${names}`, ADVICE].join('\n'),
    )
    expect(account.changes).toEqual([])
  })

  it('only in what is their own are deployed', async () => {
    const first = blocksOf('production', ['acme'], { vars: 'TENANTS_MAX = 3' })
    const second = blocksOf('production-2', ['bravo'], { more: 'name = "crossdock-production-2"' })
    await account.write('wrangler.toml', `name = "crossdock"\n\n${first}\n${second}`)
    expect(await run()).toBe(0)
    expect(account.changes).toEqual(ALL)
  })
})

describe('the entries of the router', () => {
  it('are those of the tenants at the moment of writing', async () => {
    const before = await openEnvironment('production')
    const toml = await account.read('wrangler.toml')
    await account.write('wrangler.toml', toml.replaceAll('bravo', 'late').replace('BRAVO', 'LATE'))
    account.entries = {}
    await deployRouter(before)
    expect(account.entries).toEqual({ acme: '1', late: '2' })
  })
})
