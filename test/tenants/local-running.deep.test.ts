import { describe, expect, it } from 'vitest'
import { project, run, serve, workspaceOf } from './local.ts'
import { resultOf } from './operator.ts'

describe('npm run tenant beside npm start', () => {
  it('creates and removes a tenant, which goes on serving demo', async () => {
    await serve(async (origin, demoKey) => {
      const created = resultOf(await run('create', 'beta', '--json'))
      expect(created.base_url).toBe(origin)
      expect(await workspaceOf(origin, created.settings_key)).toMatchObject({
        data: { tenant: 'beta' },
      })
      expect(await workspaceOf(origin, demoKey)).toMatchObject({ data: { tenant: 'demo' } })
      resultOf(await run('remove', 'beta', '--confirm', 'beta', '--json'))
      await expect
        .poll(() => workspaceOf(origin, created.settings_key), { timeout: 60_000, interval: 200 })
        .toMatchObject({ error: { code: 'KEY_INVALID' } })
      expect(await workspaceOf(origin, demoKey)).toMatchObject({ data: { tenant: 'demo' } })
    })
  })

  it('counts and deletes the documents that are kept of a tenant', async () => {
    const put = async (slug: string, id: string) => {
      const at = `crossdock-documents/${slug}/documents/2026-11-23/-/${id}`
      await project.write('document', '12345')
      const { code, stderr } = await project.wrangler([
        'r2',
        'object',
        'put',
        at,
        '--file',
        'document',
        '--local',
      ])
      expect(code, stderr).toBe(0)
    }
    const countOf = async (slug: string) =>
      resultOf(await run('status', slug, '--json')).documents.count
    for (const slug of ['kept', 'kept-on']) resultOf(await run('create', slug, '--json'))
    await put('kept', 'a')
    await put('kept', 'b')
    await put('kept-on', 'a')
    expect(await countOf('kept')).toBe(2)
    await serve(async () => {
      resultOf(await run('remove', 'kept', '--confirm', 'kept', '--no-export', '--json'))
      expect(await countOf('kept-on')).toBe(1)
    })
    resultOf(await run('create', 'kept', '--json'))
    expect(await countOf('kept')).toBe(0)
    for (const slug of ['kept', 'kept-on']) {
      resultOf(await run('remove', slug, '--confirm', slug, '--no-export', '--json'))
    }
  })

  it('creates five tenants one after the other and serves each', async () => {
    const slugs = ['first', 'second', 'third', 'fourth', 'fifth']
    await serve(async (origin) => {
      const keys = new Map<string, string>()
      for (const slug of slugs) {
        keys.set(slug, resultOf(await run('create', slug, '--json')).settings_key)
      }
      for (const [tenant, key] of keys) {
        expect(await workspaceOf(origin, key)).toMatchObject({ data: { tenant } })
      }
    })
  })
})

describe('npm run tenant -- backup and restore on a fresh clone', () => {
  it('backs a tenant up into the bucket, and restores it, also where it is gone', async () => {
    const created = resultOf(await run('create', 'saved', '--json'))
    const args = ['saved', '--r2', '--into', 'first', '--json']
    const { tenants } = resultOf(await run('backup', ...args))
    expect(tenants).toMatchObject([{ tenant: 'saved', rows: { api_keys: 1 } }])
    resultOf(await run('key', 'saved', '--json'))
    const restoring = [
      'restore',
      'saved',
      '--from',
      'first',
      '--r2',
      '--confirm',
      'saved',
      '--json',
    ]
    const restored = resultOf(await run(...restoring))
    expect(restored).toMatchObject({
      undo: null,
      integration_enabled: true,
      keys: { gone: [{ name: 'Settings key made by the operator' }], revoked_again: [] },
    })
    expect(resultOf(await run('status', 'saved', '--json'))).toMatchObject({ live_keys: 1 })
    resultOf(await run('remove', 'saved', '--confirm', 'saved', '--no-export', '--json'))
    expect(resultOf(await run(...restoring))).toMatchObject({ tables: { api_keys: 1 } })
    await serve(async (origin) => {
      expect(await workspaceOf(origin, created.settings_key)).toMatchObject({
        data: { tenant: 'saved' },
      })
    })
    resultOf(await run('remove', 'saved', '--confirm', 'saved', '--no-export', '--json'))
  })
})
