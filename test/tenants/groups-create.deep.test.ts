import { describe, expect } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { ENTRIES, expectApart, LIFE_MS_MAX, leader, ROUTER, startFull } from './grouping.ts'
import { resultOf } from './operator.ts'
import { it, type Staging } from './staging.ts'

type Call = Staging['cloudflare']['calls'][number]

describe('create of a second group, when Cloudflare fails', () => {
  const STEPS = [
    { kind: 'd1.create', when: 'before' },
    { kind: 'script.put', script: 'crossdock-staging-2', when: 'before' },
    { kind: 'kv.create', when: 'before' },
    { kind: 'kv.put', when: 'before' },
    { kind: 'script.put', script: ROUTER, when: 'before' },
    { kind: 'zone.routes', when: 'before' },
    { kind: 'zone.route.put', when: 'before' },
    { kind: 'script.put', script: ROUTER, when: 'after' },
    { kind: 'zone.route.put', when: 'after' },
  ] as const

  it('is finished by the next run, and the others are served meanwhile', {
    timeout: LIFE_MS_MAX,
  }, async ({ staging }) => {
    const { cloudflare } = staging
    const keys = await startFull(staging)
    for (const { kind, when, ...step } of sample(STEPS, 1, 3)) {
      const script = 'script' in step ? step.script : undefined
      // A Worker that is there is uploaded in another way.
      const kinds = kind === 'script.put' ? [kind, 'version.create'] : [kind]
      const where = ({ params }: Call) => script === undefined || params.script === script
      const outages = kinds.map((each) => cloudflare.fail(each, { when, where }))
      const { code, stderr } = await staging.tenant('create', 'carol')
      const hits = outages.reduce((sum, outage) => sum + outage.hits, 0)
      expect([code, hits > 0], `${when} ${kind} ${script}: ${stderr}`).toEqual([1, true])
      for (const outage of outages) await outage.end()
      await expectApart(staging, keys)
    }
    keys.carol = resultOf(await staging.tenant('create', 'carol', '--json')).settings_key
    await expectApart(staging, keys)
    expect([leader(staging), await cloudflare.values(ENTRIES)]).toEqual([
      [ROUTER],
      { acme: '1', bravo: '1', carol: '2' },
    ])
    expect(
      cloudflare
        .namespaces()
        .map(({ title }) => title)
        .toSorted(),
    ).toEqual([ENTRIES, 'crossdock-staging-2-keys', 'crossdock-staging-keys'])
    const { code, stderr } = await staging.deploy('--env', 'staging')
    expect(code, stderr).toBe(0)
  })

  it('is finished by a deployment too', { timeout: LIFE_MS_MAX }, async ({ staging }) => {
    const { cloudflare } = staging
    const keys = await startFull(staging)
    const outage = cloudflare.fail('zone.route.put', { when: 'before' })
    expect((await staging.tenant('create', 'carol')).code).toBe(1)
    await outage.end()
    const { code, stdout, stderr } = await staging.deploy('--env', 'staging')
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('are deployed; tenants that answer: 3.')
    expect(leader(staging)).toEqual([ROUTER])
    await expectApart(staging, keys)
  })
})
