import { describe, expect } from 'vitest'
import { it } from './staging.ts'

describe.concurrent('npm run tenant -- remove', () => {
  it('takes no database for another', async ({ staging }) => {
    const { cloudflare, project } = staging
    await staging.add('acme')
    const [{ id = '' } = {}] = cloudflare.databases()
    const toml = (await project.read('wrangler.toml')).replace(id, crypto.randomUUID())
    await project.write('wrangler.toml', toml)
    const { code, stderr } = await staging.tenant('remove', 'acme', '--confirm', 'acme')
    expect(code).toBe(1)
    expect(stderr).toContain(`but crossdock-staging-acme is ${id}: correct database_id there.`)
    expect(cloudflare.databases()).toHaveLength(1)
    expect(await project.read('wrangler.toml')).toBe(toml)
  })
})
