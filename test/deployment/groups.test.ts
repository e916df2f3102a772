import { describe, expect, it, vi } from 'vitest'
import { refuseOtherCode } from '../../scripts/tenant/deployment.ts'
import { openEnvironment } from '../../scripts/tenant/environment.ts'
import { groupFor, placeFor } from '../../scripts/tenant/groups.ts'
import { forget, leadingSteps } from '../../scripts/tenant/router.ts'
import { tenant } from '../../scripts/tenant.ts'
import { blocksOf, routerOf } from './account.ts'
import { account } from './in-account.ts'

vi.mock('../../scripts/tenant/wrangler.ts', async () => (await import('./in-account.ts')).wrangler)

const nameOf = async (find: typeof groupFor, env: string, slug: string) =>
  (await find(await openEnvironment(env), slug)).name

describe('a group that is named by --env', () => {
  it.each([
    ['acme', 'production-2', 'production'],
    ['bravo', 'production-3', 'production-2'],
  ])('gets no tenant that another group has: %s, %s', async (slug, env, holder) => {
    account.databases.push('crossdock-production-3-carol')
    const toml = await account.read('wrangler.toml')
    await account.write('wrangler.toml', `${toml}\n${blocksOf('production-3', ['carol'])}`)
    for (const find of [groupFor, placeFor]) {
      await expect(nameOf(find, env, slug)).rejects.toMatchObject({
        name: 'Failure',
        exitCode: 2,
        message: `${slug} is in ${holder}, not in ${env}: name its environment instead, --env production. To move it to ${env}, remove it first.`,
      })
    }
  })

  it('gets none of which another group has a database without a block', async () => {
    account.databases.push('crossdock-production-late')
    await expect(nameOf(placeFor, 'production-2', 'late')).rejects.toMatchObject({ exitCode: 2 })
  })

  it('has no command for a tenant that is in both', async () => {
    const toml = await account.read('wrangler.toml')
    await account.write('wrangler.toml', toml.replaceAll('bravo', 'acme').replace('BRAVO', 'ACME'))
    await expect(nameOf(groupFor, 'production-2', 'acme')).rejects.toThrow(
      /^acme is in production and in production-2, and its host leads to one of them\. /,
    )
  })

  it('gets its own tenants, and new ones', async () => {
    for (const find of [groupFor, placeFor]) {
      expect(await nameOf(find, 'production-2', 'bravo')).toBe('production-2')
      expect(await nameOf(find, 'production-2', 'new')).toBe('production-2')
      expect(await nameOf(find, 'production', 'bravo')).toBe('production-2')
      expect(await nameOf(find, 'production', 'acme')).toBe('production')
    }
  })

  it.each([
    ['create', 'acme'],
    ['remove', 'acme', '--confirm', 'acme', '--no-export'],
  ])('is no way to harm a tenant of another one: %s', async (...args) => {
    account.objects = ['acme/documents/1']
    const toml = await account.read('wrangler.toml')
    const run = tenant([...args, '--env', 'production-2'])
    await expect(run).rejects.toMatchObject({ exitCode: 2 })
    expect(account).toMatchObject({ changes: [], entries: { acme: '1', bravo: '2' } })
    expect(await account.read('wrangler.toml')).toBe(toml)
  })

  it('is named where it has no such tenant', async () => {
    const asking = tenant(['status', 'nobody', '--env', 'production-2'])
    await expect(asking).rejects.toThrow('There is no tenant nobody in production-2.')
  })
})

describe('the entry of a tenant that is gone', () => {
  it('is deleted where it leads to the group that had it, and only there', async () => {
    const [first, second] = (await openEnvironment('production')).groups
    await forget(second!, 'acme')
    await forget(second!, 'nobody')
    expect(account.changes).toEqual([])
    await forget(first!, 'acme')
    await forget(second!, 'bravo')
    expect(account.changes).toEqual(['forget acme', 'forget bravo'])
  })
})

describe('a group that is full', () => {
  const limited = async (vars: string, ofSecond = '') => {
    const blocks = [
      blocksOf('production', ['acme'], { vars }),
      blocksOf('production-2', ['bravo'], { vars: ofSecond }),
    ]
    await account.write('wrangler.toml', `name = "crossdock"\n\n${blocks.join('\n')}`)
  }

  it('is so by what the first group says, for all of them', async () => {
    await limited('TENANTS_MAX = 2', 'TENANTS_MAX = 1')
    expect(await nameOf(placeFor, 'production-2', 'new')).toBe('production-2')
    await limited('TENANTS_MAX = 1', 'TENANTS_MAX = 9')
    const next = await placeFor(await openEnvironment('production'), 'new')
    // Its namespace is its own: the first deployment makes it.
    expect(next).toMatchObject({ name: 'production-3', isNew: true, namespace_id: null })
    await expect(nameOf(placeFor, 'production-2', 'new')).rejects.toMatchObject({ exitCode: 2 })
  })
})

describe('a tenant of a group that was never deployed', () => {
  it('gets the code that the first group serves, and no other', async () => {
    account.versions['crossdock-production-2'] = []
    const [first, second] = (await openEnvironment('production')).groups
    await refuseOtherCode(second!)
    await account.write('package.json', '{"version": "0.3.0"}')
    for (const group of [first!, second!, { ...second!, isNew: true }]) {
      await expect(refuseOtherCode(group)).rejects.toThrow(
        'crossdock-production serves 0.2.0+0001, and this folder has 0.3.0+0001.',
      )
    }
  })
})

describe('what is to do for the router', () => {
  it('is told for a new group, with the namespace where there is none', async () => {
    const [, second] = (await openEnvironment('production')).groups
    const steps = () => leadingSteps({ ...second!, isNew: true }, 'new')
    const always = ['write the group of each tenant', 'deploy crossdock-router-production']
    expect(await steps()).toEqual(always)
    await account.write('wrangler.router.toml', 'name = "crossdock-router"\n')
    const namespace = 'create the namespace crossdock-router-production-groups'
    expect(await steps()).toEqual([namespace, ...always])
    await account.write('wrangler.router.toml', routerOf(2))
    expect(await leadingSteps(second!, 'new')).toEqual([
      'lead https://new.crossdock.example to crossdock-production-2',
    ])
  })
})

describe('list', () => {
  it('says what to do about a database of a group that wrangler.toml has lost', async () => {
    account.databases.push('crossdock-production-4-late', 'crossdock-production-late')
    expect(await tenant(['list', '--env', 'production'])).toBe(0)
    const told = account.printed()
    expect(told).toContain(
      'crossdock-production-4-late has no block in wrangler.toml. It is no tenant\'s of production, as "4-late" is no slug. If it is of late in the group production-4, bring the blocks of [env.production-4] back from git.',
    )
    expect(told).toContain('Add it: npm run tenant -- create late --env production')
    expect(told).not.toContain('create 4-late')
  })
})
