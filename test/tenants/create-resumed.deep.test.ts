import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import {
  create,
  expectFailed,
  expectMade,
  MADE,
  MIGRATION,
  run,
  WORKSPACE,
  workspaceOf,
} from './creating.ts'
import { resultOf } from './operator.ts'

describe('npm run tenant -- create, when Cloudflare fails', () => {
  it('is finished by the next run, whichever step did not do its work', async () => {
    const [list, database] = [{ kind: 'd1.list' }, { kind: 'd1.create' }]
    const [upload, routes] = [
      { kind: 'version.create', first: 'script.put' },
      { kind: 'routes.put' },
    ]
    const steps = sample([list, database, MIGRATION, WORKSPACE, upload, routes], 1, 3)
    for (const at of [...steps, MADE]) {
      await expectFailed('undone', at, 'before')
    }
    const { settings_key: extra } = resultOf(await run(['key', 'undone', '--json']))
    const proxy = { HTTPS_PROXY: 'http://127.0.0.1:9' }
    const silent = await run(['create', 'undone', '--wait', '1'], proxy)
    expect(silent.stderr).toContain(
      'undone.staging.crossdock.example does not answer for undone yet',
    )
    const created = resultOf(await create('undone', '--json'))
    await expectMade('undone', created.settings_key, ['Settings key made by the operator'])
    expect(await workspaceOf('undone', extra)).toMatchObject({ data: { tenant: 'undone' } })
  })
})
