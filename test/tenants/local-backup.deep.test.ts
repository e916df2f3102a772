import { describe, expect, it } from 'vitest'
import { run, serve, workspaceOf } from './local.ts'
import { resultOf } from './operator.ts'

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
