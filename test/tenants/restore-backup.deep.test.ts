import { describe, expect } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { differencesBetween } from './contents.ts'
import { filling } from './fill.ts'
import { resultOf } from './operator.ts'
import { changesIn, expectRestored, goOn, open, SLUG } from './restoring.ts'
import { it } from './staging.ts'

// A restore changes these itself, and reads of the audit log come after it.
const OWN = [
  'workspace',
  'settings_changes',
  'settings_history',
  'audit_log',
  'api_keys',
  'sqlite_sequence',
]

describe.concurrent('npm run tenant -- restore --from', () => {
  it('puts a backup in the place of all data, whichever call failed before', async ({
    staging,
  }) => {
    const { cloudflare } = staging
    const shop = await open(staging, filling(20))
    resultOf(await staging.tenant('backup', SLUG, '--into', 'saved', '--json'))
    const saved = await staging.contents(SLUG)
    const { successor } = await goOn(staging, shop)
    const args = ['restore', SLUG, '--from', 'saved', '--confirm', SLUG, '--json']
    const failures = [
      ['d1.query', 'before'],
      ['d1.export', 'before'],
      ['d1.bookmark', 'before'],
      ['d1.import.init', 'before'],
      ['d1.import.ingest', 'before'],
    ] as const
    for (const [kind, when] of sample(failures, 1, 2)) {
      const outage = cloudflare.fail(kind, { when })
      const { code, stderr } = await staging.tenant(...args)
      expect(outage.hits, `${kind}: ${stderr}`).toBeGreaterThan(0)
      expect(code, kind).toBe(1)
      await outage.end()
      expect(
        await staging.query(SLUG, "SELECT 1 FROM orders WHERE order_number = 'since'"),
      ).toHaveLength(1)
    }
    const lost = cloudflare.fail('d1.import.poll', { when: 'after' })
    const done = resultOf(await staging.tenant(...args))
    await lost.end()
    expect(done).toMatchObject({
      integration_enabled: true,
      keys: {
        revoked_again: [{ name: 'Revoked' }],
        gone: [{ id: successor.id }],
      },
    })
    const restored = await staging.contents(SLUG)
    await expectRestored(staging, shop, successor)
    const rest = (contents: typeof saved) =>
      Object.fromEntries(Object.entries(contents).filter(([table]) => !OWN.includes(table)))
    expect(differencesBetween(rest(saved), rest(restored))).toEqual([])
    const { settings_history: history = [] } = saved
    expect(history.length).toBeGreaterThan(0)
    expect(restored.settings_history?.slice(0, history.length)).toEqual(history)
    const lines = (await staging.project.read(done.requests.file)).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).method)).toEqual(['POST', 'DELETE', 'POST', 'PUT'])
    cloudflare.recover()
    expect(resultOf(await staging.tenant(...args))).toEqual(done)
    expect(changesIn(staging)).toEqual([])
  })
})
