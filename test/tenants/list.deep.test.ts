import { describe, expect } from 'vitest'
import { resultOf } from './operator.ts'
import { it } from './staging.ts'

describe.concurrent('npm run tenant -- list and status', () => {
  it('say so where there are no tenants', async ({ staging }) => {
    const { tenant } = staging
    expect(resultOf(await tenant('list', '--json'))).toEqual({
      environment: 'staging',
      tenants: [],
      unbound: [],
    })
    const { code, stdout } = await tenant('list')
    expect([code, stdout]).toEqual([
      0,
      'There are no tenants in staging yet. Add one: npm run tenant -- create <slug> --env staging\n',
    ])
  })

  it('name the databases that have lost their block', async ({ staging }) => {
    const { cloudflare, tenant } = staging
    cloudflare.create('crossdock-staging-lost')
    cloudflare.create('crossdock-production-other')
    expect(resultOf(await tenant('list', '--json'))).toMatchObject({
      unbound: ['crossdock-staging-lost'],
    })
    expect((await tenant('list')).stdout).toContain(
      'crossdock-staging-lost has no block in wrangler.toml. Add it: npm run tenant -- create lost --env staging',
    )
  })

  it('tell where a block leads to the database of another tenant', async ({ staging }) => {
    const { project, query, tenant, add } = staging
    await add('acme')
    await query('acme', "UPDATE workspace SET tenant = 'beta'")
    expect((await tenant('list')).stdout).toContain('acme: its database belongs to beta.')
    const { code, stderr } = await tenant('key', 'acme')
    expect(code).toBe(1)
    expect(stderr).toContain('The database crossdock-staging-acme does not belong to acme.')
    expect(await query('acme', 'SELECT name FROM api_keys')).toHaveLength(1)
    expect(await project.read('wrangler.toml')).toContain('DB_ACME')
  })
})
