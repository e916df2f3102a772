import { describe, expect, it } from 'vitest'
import { project, run } from './local.ts'
import { resultOf } from './operator.ts'

const toml = () => project.read('wrangler.toml')

const WRONG = [
  { args: [], stdout: 'Usage: npm run tenant -- <command>', code: 2 },
  { args: ['--help'], stdout: 'create <slug>', code: 0 },
  {
    args: ['import', '--help'],
    stdout: 'Usage: npm run tenant -- import <slug> <file>',
    code: 0,
  },
  { args: ['make', 'acme'], stderr: 'There is no command "make".', code: 2 },
  { args: ['create'], stderr: 'create needs <slug>.', code: 2 },
  { args: ['create', 'acme', 'beta'], stderr: 'create does not accept "beta".', code: 2 },
  { args: ['create', 'acme', '--all'], stderr: 'create does not accept --all.', code: 2 },
  { args: ['create', 'acme', '--colour'], stderr: "Unknown option '--colour'.", code: 2 },
  { args: ['create', 'Acme'], stderr: '"Acme" is not a valid slug', code: 2 },
  { args: ['create', 'a_b'], stderr: '"a_b" is not a valid slug', code: 2 },
  { args: ['create', 'a--b'], stderr: '"a--b" is not a valid slug', code: 2 },
  { args: ['create', `a${'b'.repeat(40)}`], stderr: 'is not a valid slug', code: 2 },
  { args: ['create', 'acme', '--name', ''], stderr: '--name: Must have at least 1', code: 2 },
  { args: ['create', 'acme', '--name', ' '], stderr: '--name: Must not be only', code: 2 },
  {
    args: ['create', 'acme', '--env', 'moon'],
    stderr: 'wrangler.toml has no environment "moon"',
    code: 2,
  },
  {
    args: ['create', 'acme', '--location', 'weur'],
    stderr: 'works at Cloudflare only',
    code: 2,
  },
  { args: ['check'], stderr: 'check looks at a domain at Cloudflare: add --env.', code: 2 },
  { args: ['migrate'], stderr: 'migrate needs either a slug or --all.', code: 2 },
  { args: ['status', 'nobody'], stderr: 'There is no tenant nobody on this machine.', code: 1 },
  { args: ['key', 'nobody'], stderr: 'There is no tenant nobody on this machine.', code: 1 },
  { args: ['export', 'nobody', 'x.sql'], stderr: 'There is no tenant nobody', code: 1 },
  {
    args: ['export', 'demo', 'none/x.sql'],
    stderr: 'none/x.sql cannot be written: there is no folder none.',
    code: 2,
  },
  { args: ['remove', 'nobody'], stderr: 'There is no tenant nobody on this machine.', code: 1 },
  { args: ['remove', 'demo'], stderr: 'npm start needs the tenant demo.', code: 1 },
  { args: ['backup'], stderr: 'backup needs either a slug or --all.', code: 2 },
  { args: ['backup', 'demo', '--into', ''], stderr: 'Name a folder.', code: 2 },
  { args: ['restore', 'demo'], stderr: 'restore needs one of --to <time>, --from', code: 2 },
  {
    args: ['restore', 'demo', '--to', '2026-11-21T10:30:00Z'],
    stderr: "Only Cloudflare's D1 has Time Travel: add --env to --to.",
    code: 2,
  },
  {
    args: ['restore', 'demo', '--to', 'yesterday', '--env', 'staging'],
    stderr: '--to must be a time such as 2026-11-21T10:30:00Z, not "yesterday".',
    code: 2,
  },
  {
    args: ['restore', 'demo', '--on', '--r2'],
    stderr: 'restore accepts --r2 with --from only.',
    code: 2,
  },
  {
    args: ['restore', 'demo', '--from', 'migrations'],
    stderr: 'There is no backup of demo in migrations.',
    code: 2,
  },
  { args: ['import', 'acme', 'none.sql'], stderr: 'There is no file none.sql.', code: 2 },
  { args: ['import', 'acme', 'package.json'], stderr: 'package.json is not an export', code: 1 },
]

describe('npm run tenant, asked for wrongly', () => {
  it.each(WRONG)('says so: $args', async ({ args, code, stdout = '', stderr = '' }) => {
    const before = await toml()
    const finished = await run(...args)
    expect(finished).toMatchObject({ code, stdout: expect.stringContaining(stdout) })
    expect(finished.stderr).toContain(stderr)
    expect(finished.stderr).not.toContain('    at ')
    expect(await toml()).toBe(before)
  })

  it('tells it as JSON too, where JSON is asked for', async () => {
    const { code, stdout } = await run('create', 'Acme', '--json')
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toEqual({
      error: expect.stringContaining('"Acme" is not a valid slug'),
    })
  })
})

describe('npm run tenant on a fresh clone', () => {
  it('creates a tenant once it answers, adds a key, and removes it again', async () => {
    const before = await toml()
    const created = resultOf(await run('create', 'acme', '--name', "Ann's", '--json'))
    expect(created).toEqual({
      tenant: 'acme',
      base_url: 'http://localhost:8787',
      settings_key: expect.stringMatching(/^xd_acme_/),
    })
    expect((await toml()).startsWith(before)).toBe(true)

    const { stdout } = await run('list')
    expect(stdout).toMatch(/^acme +current .* 1 +on +http:\/\/localhost:8787$/m)
    expect(stdout).toMatch(/^demo +none applied .* not set up/m)

    const status = resultOf(await run('status', 'acme', '--json'))
    expect(status).toMatchObject({ tenant: 'acme', live_keys: 1, migrations: { pending: [] } })

    const lost = resultOf(await run('key', 'acme', '--json'))
    expect(lost.settings_key).toMatch(/^xd_acme_/)
    expect(lost.settings_key).not.toBe(created.settings_key)

    const removed = resultOf(
      await run('remove', 'acme', '--confirm', 'acme', '--export', 'acme.sql', '--json'),
    )
    expect(removed).toEqual({ tenant: 'acme', removed: true, export: 'acme.sql' })
    expect(await toml()).toBe(before)
    expect(await project.read('acme.sql')).toContain('First settings key')
  })
})
