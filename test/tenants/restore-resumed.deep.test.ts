import { describe, expect } from 'vitest'
import type { Cloudflare } from './cloudflare.ts'
import { resultOf } from './operator.ts'
import { at, expectRestored, goOn, open, outcomeOf, SLUG } from './restoring.ts'
import { it, type Staging } from './staging.ts'
import { order } from './visitor.ts'

const DATABASE = `crossdock-staging-${SLUG}`

interface Fault {
  kind: string
  /** What the body of the call has in it. */
  having?: string
}

const LAST: Fault = { kind: 'd1.query', having: 'INSERT INTO audit_log' }

/** Runs it while the call fails; gives the outage, which has not ended. */
async function failing(
  { cloudflare, tenant }: Staging,
  args: string[],
  { kind, having = '' }: Fault,
  when: 'before' | 'after' | 'late',
) {
  const where = ({ body }: Cloudflare['calls'][number]) => JSON.stringify(body).includes(having)
  const outage = cloudflare.fail(kind, { when, where })
  const finished = await tenant(...args)
  expect(outage.hits, `${kind}: ${finished.stderr}`).toBeGreaterThan(0)
  return { outage, ...finished }
}

async function expectStopped(
  staging: Staging,
  args: string[],
  fault: Fault,
  when: 'before' | 'after' | 'late',
) {
  const { outage, code, stderr } = await failing(staging, args, fault, when)
  expect(code, `${fault.kind} ${when}`).toBe(1)
  await outage.end()
  return stderr
}

describe.concurrent('npm run tenant -- restore --to, when Cloudflare fails', () => {
  it('is finished by the next run, and loses nothing of what came in between', async ({
    staging,
  }) => {
    const shop = await open(staging)
    const { successor } = await goOn(staging, shop)
    const { kept } = shop.keys
    const args = ['restore', SLUG, '--to', shop.time, '--confirm', SLUG, '--json']
    const off: Fault = { kind: 'd1.query', having: 'integration_enabled = 0' }

    await expectStopped(staging, args, { kind: 'd1.bookmark' }, 'before')
    const stderr = await expectStopped(staging, args, off, 'after')
    expect(stderr).toContain(`To give it up: npm run tenant -- restore ${SLUG} --env staging --on`)
    expect(await outcomeOf(staging, kept.key, 'since')).toBe('WORKSPACE_DISABLED')
    expect(resultOf(await staging.tenant('restore', SLUG, '--on', '--json'))).toEqual({
      tenant: SLUG,
      integration_enabled: true,
    })
    await order(at(staging, kept.key), 'after giving up')

    await expectStopped(staging, args, { kind: 'd1.export.download' }, 'before')
    await expectStopped(staging, args, { kind: 'd1.restore' }, 'before')
    expect(
      await staging.query(SLUG, "SELECT 1 FROM orders WHERE order_number = 'since'"),
    ).toHaveLength(1)
    await expectStopped(staging, args, { kind: 'd1.restore' }, 'late')
    expect(await staging.query(SLUG, "SELECT 1 FROM orders WHERE order_number = 'since'")).toEqual(
      [],
    )
    await order(at(staging, kept.key), 'meanwhile')
    await expectStopped(staging, args, LAST, 'before')

    const { outage, ...finished } = await failing(staging, args, LAST, 'after')
    await outage.end()
    const done = resultOf(finished)
    expect(done.keys).toMatchObject({
      revoked_again: [{ name: 'Revoked' }],
      gone: [{ id: successor.id }],
    })
    await expectRestored(staging, shop, successor)
    expect(await outcomeOf(staging, kept.key, 'meanwhile')).toBe('200')
    const lost = await staging.project.read(done.requests.file)
    expect(lost).toContain('"record_name":"after giving up"')
    expect(lost).not.toContain('"record_name":"meanwhile"')
    expect(await staging.project.read(done.export)).toContain("'after giving up'")
  })

  it('hears of a restore whose answer is lost', async ({ staging }) => {
    await staging.add(SLUG)
    const time = await staging.cloudflare.mark(DATABASE)
    const args = ['restore', SLUG, '--to', time, '--confirm', SLUG, '--json']
    const { outage, ...finished } = await failing(staging, args, { kind: 'd1.restore' }, 'after')
    await outage.end()
    expect(resultOf(finished)).toMatchObject({ restored_to: time, requests: { count: 0 } })
  })
})

describe.concurrent('npm run tenant -- restore --to', () => {
  it('leaves the integration of a damaged database off, and lists the keys that are alive', async ({
    staging,
  }) => {
    await staging.add(SLUG)
    const time = await staging.cloudflare.mark(DATABASE)
    const [first] = await staging.query(SLUG, 'SELECT id, name FROM api_keys')
    await staging.query(SLUG, 'DROP TABLE api_keys')
    const args = ['restore', SLUG, '--to', time, '--confirm', SLUG, '--json']
    expect(resultOf(await staging.tenant(...args))).toMatchObject({
      integration_enabled: false,
      export: null,
      keys: null,
      live_keys: [first],
      requests: null,
    })
    const isOn = 'SELECT integration_enabled AS it FROM workspace'
    expect(await staging.query(SLUG, isOn)).toEqual([{ it: 0 }])
    resultOf(await staging.tenant('restore', SLUG, '--on', '--json'))
    expect(await staging.query(SLUG, isOn)).toEqual([{ it: 1 }])
  })

  it('undoes itself where the database did not hold the tenant yet', async ({ staging }) => {
    const { cloudflare, project } = staging
    await staging.add(SLUG)
    const before = await project.read('wrangler.toml')
    await staging.query(SLUG, "UPDATE workspace SET tenant = 'beta'")
    const time = await cloudflare.mark(DATABASE)
    await staging.query(SLUG, `UPDATE workspace SET tenant = '${SLUG}', name = 'Now'`)
    const args = ['restore', SLUG, '--to', time, '--confirm', SLUG, '--json']
    const { code, stderr } = await staging.tenant(...args)
    expect(code).toBe(1)
    expect(stderr).toContain(`did not hold ${SLUG} at ${time}. It is as it was before.`)
    expect(await staging.query(SLUG, 'SELECT name, integration_enabled FROM workspace')).toEqual([
      { name: 'Now', integration_enabled: 1 },
    ])
    expect(await project.read('wrangler.toml')).toBe(before)
  })
})
