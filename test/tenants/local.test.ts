import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anyFreePort } from '../../scripts/dev/port.ts'
import { outgoing } from '../secrets/outgoing.ts'
import { lookAtStart } from '../secrets/output.ts'
import { resultOf, tenant } from './operator.ts'
import { type Project, startProject } from './project.ts'

let project: Project

beforeAll(async () => {
  project = await startProject()
})
afterAll(() => project.remove())

const run = (...args: string[]) => tenant(project, args)
const toml = () => project.read('wrangler.toml')

describe('npm run tenant, asked for wrongly', () => {
  it.each([
    { args: [], stdout: 'Usage: npm run tenant -- <command>', code: 2 },
    { args: ['--help'], stdout: 'create <slug>', code: 0 },
    {
      args: ['import', '--help'],
      stdout: 'Usage: npm run tenant -- import <slug> <file>',
      code: 0,
    },
    { args: ['make', 'acme'], stderr: 'There is no command "make".', code: 2 },
    { args: ['create'], stderr: 'create wants <slug>.', code: 2 },
    { args: ['create', 'acme', 'beta'], stderr: 'create takes no "beta".', code: 2 },
    { args: ['create', 'acme', '--all'], stderr: 'create takes no --all.', code: 2 },
    { args: ['create', 'acme', '--colour'], stderr: "Unknown option '--colour'.", code: 2 },
    { args: ['create', 'Acme'], stderr: '"Acme" is no slug', code: 2 },
    { args: ['create', 'a_b'], stderr: '"a_b" is no slug', code: 2 },
    { args: ['create', 'a--b'], stderr: '"a--b" is no slug', code: 2 },
    { args: ['create', `a${'b'.repeat(40)}`], stderr: 'is no slug', code: 2 },
    { args: ['create', 'acme', '--name', ''], stderr: '--name: Must have at least 1', code: 2 },
    {
      args: ['create', 'acme', '--env', 'moon'],
      stderr: 'There is no environment "moon"',
      code: 2,
    },
    {
      args: ['create', 'acme', '--location', 'weur'],
      stderr: 'says nothing on this machine',
      code: 2,
    },
    { args: ['migrate'], stderr: 'migrate wants a slug, or --all.', code: 2 },
    { args: ['status', 'nobody'], stderr: 'There is no tenant nobody on this machine.', code: 1 },
    { args: ['key', 'nobody'], stderr: 'There is no tenant nobody on this machine.', code: 1 },
    { args: ['export', 'nobody', 'x.sql'], stderr: 'There is no tenant nobody', code: 1 },
    { args: ['remove', 'nobody'], stderr: 'There is no tenant nobody on this machine.', code: 1 },
    { args: ['remove', 'demo'], stderr: 'demo belongs to npm start.', code: 1 },
    { args: ['import', 'acme', 'none.sql'], stderr: 'There is no file none.sql.', code: 2 },
    { args: ['import', 'acme', 'package.json'], stderr: 'package.json is no export', code: 1 },
  ])('says so: $args', async ({ args, code, stdout = '', stderr = '' }) => {
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
    expect(JSON.parse(stdout)).toEqual({ error: expect.stringContaining('"Acme" is no slug') })
  })
})

describe('npm run tenant -- create, stopped with Ctrl-C', () => {
  it('leaves no server behind, and goes on the next time', async () => {
    const program = ['scripts/crossdock.ts', 'tenant', 'create', 'stopped']
    const creating = spawn(process.execPath, program, {
      cwd: project.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const exit = once(creating, 'exit')
    const said = text(creating.stderr)
    const servers = async () => (await programsOfProject()).filter((args) => args.includes(' dev '))
    await expect.poll(servers, { timeout: 60_000 }).not.toEqual([])
    creating.kill('SIGINT')
    expect(await exit).toEqual([130, null])
    expect(await said).toContain('Stopped. Run it again to go on.')
    expect(await programsOfProject()).toEqual([])
    resultOf(await run('create', 'stopped', '--json'))
    resultOf(await run('remove', 'stopped', '--confirm', 'stopped', '--json'))
  }, 120_000)
})

describe('npm run tenant on a fresh clone', () => {
  it('creates a tenant that answers, beside demo, and removes it again', async () => {
    const before = await toml()
    const planned = resultOf(await run('create', 'acme', '--dry-run', '--json'))
    expect(planned.steps).toContain('make the database crossdock-acme')
    expect(await toml()).toBe(before)

    const created = resultOf(await run('create', 'acme', '--name', "Ann's", '--json'))
    expect(created).toEqual({
      tenant: 'acme',
      base_url: 'http://localhost:8787',
      settings_key: expect.stringMatching(/^xd_acme_/),
    })
    expect((await toml()).startsWith(before)).toBe(true)

    const again = await run('create', 'acme')
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('acme exists on this') })

    const { stdout } = await run('list')
    expect(stdout).toMatch(/^acme +current .* 1 +on +http:\/\/localhost:8787$/m)
    expect(stdout).toMatch(/^demo +none applied .* not set up/m)

    const served = await serve(async (origin, demoKey) => {
      const lost = resultOf(await run('key', 'acme', '--json'))
      return {
        created: await workspaceOf(origin, created.settings_key),
        lost: await workspaceOf(origin, lost.settings_key),
        demo: await workspaceOf(origin, demoKey),
      }
    })
    expect(served).toMatchObject({
      created: { data: { tenant: 'acme', name: "Ann's" } },
      lost: { data: { tenant: 'acme' } },
      demo: { data: { tenant: 'demo' } },
    })

    const unasked = await run('remove', 'acme')
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('--confirm acme') })
    const removed = resultOf(
      await run('remove', 'acme', '--confirm', 'acme', '--export', 'acme.sql', '--json'),
    )
    expect(removed).toEqual({ tenant: 'acme', removed: true, export: 'acme.sql' })
    expect(await toml()).toBe(before)
    expect(await project.read('acme.sql')).toContain('First settings key')
  }, 180_000)

  it('creates and removes a tenant under a running server, which goes on serving demo', async () => {
    await serve(async (origin, demoKey) => {
      const created = resultOf(await run('create', 'beta', '--json'))
      expect(created.base_url).toBe(origin)
      expect(await workspaceOf(origin, created.settings_key)).toMatchObject({
        data: { tenant: 'beta' },
      })
      expect(await workspaceOf(origin, demoKey)).toMatchObject({ data: { tenant: 'demo' } })
      resultOf(await run('remove', 'beta', '--confirm', 'beta', '--json'))
      await expect
        .poll(() => workspaceOf(origin, created.settings_key), { timeout: 15_000, interval: 200 })
        .toMatchObject({ error: { code: 'KEY_INVALID' } })
      expect(await workspaceOf(origin, demoKey)).toMatchObject({ data: { tenant: 'demo' } })
    })
  }, 180_000)
})

/** The command lines of programs that run in the copy. */
async function programsOfProject(): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args'])
  return stdout.split('\n').filter((args) => args.includes(project.folder))
}

async function workspaceOf(origin: string, key: string) {
  const headers = { 'X-API-Key': key }
  return await (await fetch(`${origin}/api/settings/v1/workspace/`, { headers })).json()
}

/** `npm start` in the copy, for as long as it is used; gives its origin and demo's settings key. */
async function serve<T>(use: (origin: string, demoKey: string) => Promise<T>): Promise<T> {
  const port = await anyFreePort()
  const server = spawn(process.execPath, ['scripts/crossdock.ts', 'dev'], {
    cwd: project.folder,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(server, 'close')
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    server[stream].setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text
    })
  }
  try {
    await expect.poll(() => said.stdout, { timeout: 60_000 }).toContain('the audit log')
    const { base_url, settings_key } = JSON.parse(await project.read('.wrangler/demo.json'))
    return await use(base_url, settings_key)
  } finally {
    server.kill('SIGINT')
    await closed
    lookAtStart(outgoing, said)
  }
}
