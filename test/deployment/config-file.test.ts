import { readdir, stat } from 'node:fs/promises'
import { describe, expect, it, vi } from 'vitest'
import { addDatabase, addNamespaceId, removeDatabase } from '../../scripts/tenant/config-file.ts'
import {
  addGroup,
  addRouter,
  addService,
  handOverRoutes,
} from '../../scripts/tenant/config-groups.ts'
import { copiedBlocks, withoutRoutes } from '../../scripts/tenant/config-text.ts'
import { openEnvironment } from '../../scripts/tenant/environment.ts'
import { blocksOf, ROUTES } from './account.ts'
import { account } from './in-account.ts'

vi.mock('../../scripts/tenant/wrangler.ts', () => ({}))

const BLOCK = { binding: 'DB_NEW', database_name: 'new', database_id: '1' }
const IN_ONE_LINE = `d1_databases = [{ binding = "DB_OLD", database_id = "0" }]
kv_namespaces = [{ binding = "KEYS" }]
vars = { BASE_DOMAIN = "crossdock.example", TENANTS_MAX = 3 }
`

/** What identifies a file that nobody has replaced, meanwhile either. */
const stateOf = async (file: string) => [(await stat(file)).ino, await account.read(file)]

describe('a file of an unexpected layout', () => {
  it.each([
    [
      'wrangler.toml',
      () => addDatabase('production', BLOCK),
      'add\n\n[[env.production.d1_databases]]\nbinding = "DB_NEW"\ndatabase_name = "new"\ndatabase_id = "1"\nmigrations_dir = "migrations"',
    ],
    [
      'wrangler.toml',
      () => removeDatabase('production', 'DB_OLD'),
      'take the block of DB_OLD out.',
    ],
    [
      'wrangler.toml',
      () => addNamespaceId('production', 'KEYS', '2'),
      'add id = "2" to the block of KEYS in [[env.production.kv_namespaces]].',
    ],
    [
      'wrangler.toml',
      () => addGroup('production', 'production-2'),
      'add [env.production-2] with the blocks of [env.production], but without d1_databases, routes, route, name, TENANTS_MAX and the id of KEYS.',
    ],
    [
      'wrangler.router.toml',
      () => addService('production', 'GROUP_2', 'crossdock-production-2'),
      'add\n\n[[env.production.services]]\nbinding = "GROUP_2"\nservice = "crossdock-production-2"',
    ],
  ])('%s stays as it is, and a message says what to change (%#)', async (file, change, says) => {
    await account.write('wrangler.toml', `[env.production]\n${IN_ONE_LINE}`)
    await account.write('wrangler.router.toml', '[env.production]\nservices = []\n')
    const before = await stateOf(file)
    await expect(change()).rejects.toMatchObject({
      exitCode: 1,
      message: `${file} has an unexpected layout and was not changed. Change it by hand and run this again: ${says}`,
    })
    expect(await stateOf(file)).toEqual(before)
    expect((await readdir('.')).filter((name) => name.includes('tmp'))).toEqual([])
  })

  it('is named too where the routes are to be handed over', async () => {
    const toml = blocksOf('production', [], { more: ROUTES })
    await account.write('wrangler.toml', toml)
    await account.write('wrangler.router.toml', '[env.production] # The router.\n')
    const adding = `wrangler.router.toml has an unexpected layout and was not changed. Change it by hand and run this again: add below [env.production]\n\n${ROUTES}`
    await expect(handOverRoutes('production')).rejects.toThrow(adding)
    await account.write('wrangler.router.toml', `[env.production]\n${ROUTES}\n`)
    await account.write('wrangler.toml', toml.replace(']', '] # Of all.'))
    await expect(handOverRoutes('production')).rejects.toThrow(
      'run this again: take the routes out of [env.production]: wrangler.router.toml has them now.',
    )
  })

  it('is named where a router is to be added', async () => {
    await account.write('wrangler.router.toml', 'env = {}\n')
    await expect(addRouter('production', '5')).rejects.toThrow(
      'add\n\n[env.production]\n\n[env.production.vars]\nBASE_DOMAIN = "crossdock.example"\n\n[[env.production.kv_namespaces]]\nbinding = "GROUPS"\nid = "5"\n',
    )
  })
})

describe('the blocks of a new group', () => {
  it('are added, without the namespace and the limit of the first one', async () => {
    const vars = 'TENANTS_MAX = 3'
    await account.write('wrangler.toml', blocksOf('production', ['acme'], { vars, more: ROUTES }))
    await addGroup('production', 'production-2')
    const [first, second] = (await openEnvironment('production')).groups
    expect(first).toMatchObject({ namespace_id: 'keys of production', tenants_max: 3 })
    expect(second).toMatchObject({ namespace_id: null, tenants_max: 3, tenants: [] })
    expect(second?.bucket).toEqual(first?.bucket)
    expect((await account.read('wrangler.toml')).match(/TENANTS_MAX|keys of/g)).toHaveLength(2)
  })
})

const FILE = `name = "crossdock"
routes = ["kept.example/*"]

[env.production]
name = "warehouse"
# Of the zone.
routes = [
  { pattern = "*.crossdock.example/*", zone_name = "crossdock.example" },
  { pattern = "*.other.example/*", zone_name = "other.example" },
]
placement = { mode = "smart" }

[env.production.vars]
BASE_DOMAIN = "crossdock.example"
TENANTS_MAX = 9
name = "a variable"

[[env.production.kv_namespaces]]
binding = "KEYS"
id = "1"

[[env.production.kv_namespaces]]
binding = "MORE"
id = "2"

[[env.production.d1_databases]]
binding = "DB_ACME"

[env.production-eu]
name = "another"

[[env.production.r2_buckets]]
binding = "DOCUMENTS"
`

describe('the blocks of a new group', () => {
  it('are those of the first, without what is its own', () => {
    const [about, ...lines] = copiedBlocks(FILE, 'production', 'production-2').split('\n')
    expect(about).toMatch(/^# A group of the tenants of production/)
    expect(lines.join('\n')).toBe(`[env.production-2]
placement = { mode = "smart" }

[env.production-2.vars]
BASE_DOMAIN = "crossdock.example"
name = "a variable"

[[env.production-2.kv_namespaces]]
binding = "KEYS"

[[env.production-2.kv_namespaces]]
binding = "MORE"
id = "2"

[[env.production-2.r2_buckets]]
binding = "DOCUMENTS"`)
  })
})

describe('the routes of an environment', () => {
  it.each([
    ['in several lines', FILE],
    ['in one line', FILE.replace(/routes = \[\n[^\]]*\]/, 'route = "*.crossdock.example/*"')],
  ])('go, and nothing else does: %s', (_, file) => {
    expect(withoutRoutes(file, 'production')).toBe(
      FILE.replace(/routes = \[\n[^\]]*\]\n/, '').replace(
        '[env.production]\n',
        '[env.production]\n# wrangler.router.toml has the routes.\n',
      ),
    )
  })

  it('that never end are left for the check of the file to find', () => {
    const broken = '[env.a]\nroutes = [\nx = 1\n'
    expect(withoutRoutes(broken, 'a')).toContain('x = 1')
  })
})
