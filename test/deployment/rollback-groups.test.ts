import { beforeEach, describe, expect, it, vi } from 'vitest'
import { deploy } from '../../scripts/deploy.ts'
import { Failure } from '../../scripts/failure.ts'
import { account } from './in-account.ts'

vi.mock('../../scripts/tenant/wrangler.ts', async () => (await import('./in-account.ts')).wrangler)

const BROKEN = { tag: '0.2.0+0001', code: 'broken' }
const GOOD = { tag: '0.1.0+0001', code: 'good' }
const [FIRST, SECOND] = ['crossdock-production', 'crossdock-production-2']

beforeEach(async () => {
  account.versions = {
    [FIRST]: [
      { id: 'broken-1', ...BROKEN },
      { id: 'good-1', ...GOOD },
    ],
    [SECOND]: [
      { id: 'broken-2', ...BROKEN },
      { id: 'good-2', ...GOOD },
    ],
  }
})

const run = (...args: string[]) => deploy(['--env', 'production', '--rollback', ...args])
const BACK = [`roll ${FIRST} to good-1`, `roll ${SECOND} to good-2`]
const FORWARD = `Rolled back: ${FIRST}. Without --to a rollback would take them forward again.`
const command = (id: string) => `  npm run deploy -- --env production --rollback --to ${id}`

describe('a rollback of groups', () => {
  it('takes all back', async () => {
    expect(await run()).toBe(0)
    expect(account.changes).toEqual(BACK)
  })

  it('that fails tells for each group that is left the command that finishes it', async () => {
    account.before = (change) => {
      if (change === BACK[1]) throw new Failure('Cloudflare is away.')
    }
    await expect(run()).rejects.toThrow(
      [
        'Cloudflare is away.',
        FORWARD,
        `Not rolled back: ${SECOND}. Fix the cause and run:`,
        command('good-2'),
      ].join('\n'),
    )
    account.before = () => {}
    expect(await run('--to', 'good-2')).toBe(0)
    expect(account.changes).toEqual(BACK)
  })

  it('that fails at once tells it for all, also where only the answer was lost', async () => {
    account.before = (change) => {
      throw new Failure(`The answer to ${change} was lost.`)
    }
    const left = `Not rolled back: ${FIRST}, ${SECOND}. Fix the cause and run:`
    await expect(run()).rejects.toThrow(
      [`The answer to ${BACK[0]} was lost.`, left, command('good-1'), command('good-2')].join('\n'),
    )
  })

  it('counts a group as done whose tenants do not answer', async () => {
    account.statusOf = (slug) => (slug === 'acme' && account.changes.length > 0 ? 503 : 200)
    const failed = run('--wait', '0')
    await expect(failed).rejects.toThrow(
      `${FIRST} is rolled back. Tenants that do not answer: 1 of 1.\n`,
    )
    await expect(failed).rejects.toThrow(
      `\n${FORWARD}\nNot rolled back: ${SECOND}. Fix the cause and run:\n${command('good-2')}`,
    )
    account.statusOf = (slug) => (slug === 'bravo' ? 503 : 200)
    const last = run('--to', 'good-2', '--wait', '0')
    await expect(last).rejects.toThrow(`\n${FORWARD.replace(FIRST, SECOND)}`)
    await expect(last).rejects.not.toThrow('Not rolled back')
  })

  it('to a version that serves already is done, again and again', async () => {
    await run()
    for (const _ of [1, 2]) expect(await run('--to', 'good-2')).toBe(0)
    expect(account.printed()).toMatch(/^0\.1\.0\+0001 \(good-2, deployed .*\) serves already\.$/m)
    expect(account.changes).toEqual(BACK)
  })

  it('refuses a version that no group has had', async () => {
    await expect(run('--to', 'other')).rejects.toThrow('No version other can be deployed to')
  })
})

describe('a group that began with the broken release', () => {
  const YOUNG = `No version with other code has been deployed to ${SECOND} before. Check the code of 0.1.0+0001 out, keep today's wrangler.toml, and run:
  npm run deploy -- --env production-2`

  beforeEach(() => {
    account.versions[SECOND] = [{ id: 'broken-2', ...BROKEN }]
  })

  it('does not keep the others from going back, and is named with what to do', async () => {
    await expect(run()).rejects.toThrow(YOUNG)
    expect(account.changes).toEqual([BACK[0]])
    expect(account.printed()).toContain(`${FIRST} is rolled back to 0.1.0+0001`)
  })

  it('is named in a dry run', async () => {
    await expect(run('--dry-run')).rejects.toThrow(YOUNG)
    expect(account.printed()).toContain(`Dry run: ${FIRST} was not rolled back.`)
    expect(account.changes).toEqual([])
  })

  it('has a way out alone, and with others like it', async () => {
    const wayOut = `before. Check the code that it should have out, keep today's wrangler.toml, and run:`
    await expect(deploy(['--env', 'production-2', '--rollback'])).rejects.toThrow(
      `No version with other code has been deployed to ${SECOND} ${wayOut}\n  npm run deploy -- --env production-2`,
    )
    account.versions[FIRST] = [{ id: 'broken-1', ...BROKEN }]
    await expect(run()).rejects.toThrow(`deployed to ${FIRST}, ${SECOND} ${wayOut}`)
  })
})
