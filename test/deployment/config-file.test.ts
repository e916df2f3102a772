import { readdir, stat } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { addDatabase, addNamespaceId, removeDatabase } from '../../scripts/tenant/config-file.ts'
import {
  addGroup,
  addRouter,
  addService,
  handOverRoutes,
} from '../../scripts/tenant/config-groups.ts'
import { openEnvironment } from '../../scripts/tenant/environment.ts'
import { type Account, blocksOf, ROUTES, startAccount } from './account.ts'

vi.mock('../../scripts/tenant/wrangler.ts', () => ({}))

const BLOCK = { binding: 'DB_NEW', database_name: 'new', database_id: '1' }
const IN_ONE_LINE = `d1_databases = [{ binding = "DB_OLD", database_id = "0" }]
kv_namespaces = [{ binding = "KEYS" }]
vars = { BASE_DOMAIN = "crossdock.example", TENANTS_MAX = 3 }
`

let account: Account

beforeEach(async () => {
  account = await startAccount()
})
afterEach(() => account.close())

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
