import { stat } from 'node:fs/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { deploy } from '../../scripts/deploy.ts'
import { Failure } from '../../scripts/failure.ts'
import { ensureLocalSecrets } from '../../scripts/local/secrets.ts'
import { missingSecrets, nextWebhookKey } from '../../scripts/secrets.ts'
import { tenant } from '../../scripts/tenant.ts'
import { account } from './in-account.ts'

const typed: string[] = []

vi.mock('../../scripts/tenant/wrangler.ts', () => ({
  runWrangler: (args: string[], input?: string) => {
    if (input !== undefined) typed.push(...Object.values<string>(JSON.parse(input)))
    return account.wrangler(args, input)
  },
  runWranglerJson: async (args: string[]) => JSON.parse(await account.wrangler(args)),
}))

beforeEach(async () => {
  typed.length = 0
})

const GROUPS = ['crossdock-production', 'crossdock-production-2']
const KEY = 'WEBHOOK_SECRET_KEY'

const run = (...args: string[]) => deploy(['--env', 'production', ...args])

/** Calls of the commands that change a group, the router's aside. */
const changes = () => account.changes.filter((each) => /^(?:secrets|deploy production)/.test(each))

function refuseSecrets(which: RegExp) {
  account.before = (change) => {
    if (which.test(change)) throw new Failure('The latest version is not deployed.')
  }
}

describe('missingSecrets', () => {
  it('counts a successor, as the first key may have been deleted', () => {
    const missing = (...names: string[]) => missingSecrets(names).map(({ name }) => name)
    expect(missing()).toEqual(['SESSION_SECRET', KEY])
    expect(missing('SESSION_SECRET', `${KEY}_3`)).toEqual([])
    expect(missing('SESSION_SECRET_2', `${KEY}_OLD`)).toEqual(['SESSION_SECRET', KEY])
  })
})

describe('nextWebhookKey', () => {
  it.each([
    [[], KEY],
    [['SESSION_SECRET', KEY], `${KEY}_2`],
    [[`${KEY}_10`, `${KEY}_9`], `${KEY}_11`],
    [[KEY, `${KEY}_02`], `${KEY}_2`],
  ])('after %j is %s', (names, next) => {
    expect(nextWebhookKey(names)).toBe(next)
  })
})

describe('npm run deploy', () => {
  it('gives each group what it lacks before the new code, and replaces nothing', async () => {
    for (const group of GROUPS) account.secrets[group] = ['SESSION_SECRET']
    expect(await run()).toBe(0)
    expect(changes()).toEqual([
      `secrets ${KEY} of production-2`,
      'deploy production-2',
      `secrets ${KEY} of production`,
      'deploy production',
    ])
    expect(account.printed()).toContain(`secrets     adds ${KEY}`)
    expect(account.printed()).toContain(`done, with a new secret, ${KEY} (`)
    const [first = '', second = ''] = typed
    expect([first.length, second.length, typed.length]).toEqual([43, 43, 2])
    expect(first).not.toBe(second)

    account.changes.length = 0
    expect(await run()).toBe(0)
    expect(changes()).toEqual(['deploy production-2', 'deploy production'])
  })

  it('makes no first key where there is a later one', async () => {
    account.secrets['crossdock-production'] = ['SESSION_SECRET', `${KEY}_2`]
    expect(await run()).toBe(0)
    expect(changes()).toEqual(['deploy production-2', 'deploy production'])
  })

  it('gives a new Worker its secrets once it is there', async () => {
    const { 'crossdock-production': versions = [] } = account.versions
    account.versions['crossdock-production-2'] = []
    account.secrets['crossdock-production-2'] = []
    account.before = (change) => {
      if (change === 'deploy production-2') account.versions['crossdock-production-2'] = versions
    }
    expect(await run()).toBe(0)
    expect(changes()).toEqual([
      'deploy production-2',
      `secrets SESSION_SECRET, ${KEY} of production-2`,
      'deploy production',
    ])
    expect(account.printed()).toContain(`done, with new secrets, SESSION_SECRET and ${KEY} (`)
  })

  it('deploys also where a secret cannot be set, and says how to set it', async () => {
    account.secrets['crossdock-production'] = ['SESSION_SECRET']
    refuseSecrets(/^secret/)
    expect(await run()).toBe(0)
    expect(changes()).toEqual(['deploy production-2', 'deploy production'])
    expect(account.printed()).toContain(
      `${KEY} could not be set, and until you set it nobody can enter the secret of a webhook:
  openssl rand -base64 32 | npx wrangler secret put ${KEY} --env production`,
    )
  })

  it('sets none in a dry run', async () => {
    account.secrets['crossdock-production'] = []
    expect(await run('--dry-run')).toBe(0)
    expect(account.printed()).toContain(`secrets     adds SESSION_SECRET, ${KEY}`)
    expect(account.changes).toEqual([])
  })
})

describe('npm run tenant -- rotate-webhook-key', () => {
  const rotate = (...args: string[]) => tenant(['rotate-webhook-key', ...args])

  it('adds the next key to each group', async () => {
    account.secrets['crossdock-production-2']?.push(`${KEY}_2`)
    expect(await rotate('--env', 'production')).toBe(0)
    expect(account.changes).toEqual([
      `secrets ${KEY}_2 of production`,
      `secrets ${KEY}_3 of production-2`,
    ])
    expect(account.secrets['crossdock-production-2']).toContain(KEY)
    expect(account.printed()).toContain(`crossdock-production has ${KEY}_2. Keep ${KEY} as well.
crossdock-production-2 has ${KEY}_3. Keep ${KEY}, ${KEY}_2 as well.

It encrypts the secrets of webhooks that are stored from now on.
`)
  })

  it('changes nothing in a dry run, and tells the same as JSON', async () => {
    expect(await rotate('--env', 'production-2', '--dry-run', '--json')).toBe(0)
    expect(account.changes).toEqual([])
    expect(JSON.parse(account.printed().trim().split('\n').at(-1) ?? '')).toEqual({
      environment: 'production-2',
      dry_run: true,
      rotated: [{ worker: 'crossdock-production-2', secret: `${KEY}_2`, older: [KEY] }],
    })
  })

  it('names the groups that are left when one fails', async () => {
    refuseSecrets(/of production-2$/)
    await expect(rotate('--env', 'production')).rejects.toThrow(
      `The latest version is not deployed.
Done: crossdock-production. Fix the cause and run for the others:
  npm run tenant -- rotate-webhook-key --env production-2`,
    )
  })

  it('touches no group while one has never been deployed', async () => {
    account.versions['crossdock-production-2'] = []
    await expect(rotate('--env', 'production')).rejects.toThrow(
      'crossdock-production-2 must be deployed first',
    )
    expect(account.changes).toEqual([])
  })

  it('adds to the file of this machine, where there is no --env', async () => {
    await account.write('.dev.vars', 'SESSION_SECRET = mine')
    await ensureLocalSecrets()
    expect(await rotate()).toBe(0)
    expect(await account.read('.dev.vars')).toMatch(
      /^SESSION_SECRET = mine\nWEBHOOK_SECRET_KEY=[\w-]{43}\nWEBHOOK_SECRET_KEY_2=[\w-]{43}\n$/,
    )
    expect(account.printed()).toContain(`.dev.vars has ${KEY}_2. Keep ${KEY} as well.`)
  })
})

describe('ensureLocalSecrets', () => {
  it('makes each secret once, in a file that nobody else reads', async () => {
    await ensureLocalSecrets()
    const text = await account.read('.dev.vars')
    expect(text).toMatch(/^SESSION_SECRET=[\w-]{43}\nWEBHOOK_SECRET_KEY=[\w-]{43}\n$/)
    expect((await stat('.dev.vars')).mode & 0o777).toBe(0o600)
    await ensureLocalSecrets()
    expect(await account.read('.dev.vars')).toBe(text)
  })
})
