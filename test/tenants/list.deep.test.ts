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
      backup: [],
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

  it('tell how old the last backup in the bucket is, and of whom it has nothing', async ({
    staging,
  }) => {
    const { add, cloudflare, tenant } = staging
    await add('acme', 'beta')
    const told = async () => resultOf(await tenant('list', '--json')).backup
    const bucket = 'crossdock-staging-documents'
    expect(await told()).toEqual([`Backups in ${bucket}: none of the last 7 days.`])
    const nameOf = (days: number) =>
      `${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)}T03-00-00Z`
    const entry = { file: 'a', sha256: '', rows: {}, taken_at: '', migrations: [] }
    const manifest = (...slugs: string[]) =>
      JSON.stringify({ tenants: slugs.map((slug) => ({ ...entry, tenant: slug })) })
    await cloudflare.put(bucket, {
      [`_backups/${nameOf(9)}/manifest.json`]: manifest('acme', 'beta'),
      [`_backups/${nameOf(1)}/acme.sql.gz`]: 'without a manifest',
    })
    expect(await told()).toEqual([`Backups in ${bucket}: none of the last 7 days.`])
    await cloudflare.put(bucket, { [`_backups/${nameOf(2)}/manifest.json`]: manifest('acme') })
    expect(await told()).toEqual([`Last backup in ${bucket}: ${nameOf(2)}; it lacks beta.`])
    cloudflare.fail('r2.list', { when: 'before' })
    expect((await tenant('list')).stdout).toContain(`The backups in ${bucket} cannot be read: `)
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
