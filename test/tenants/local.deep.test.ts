import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { project, run, serve, workspaceOf } from './local.ts'
import { resultOf } from './operator.ts'

// Longer than wrangler takes to look at the file for the first time.
const HELD_MS = 4000

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
    expect(await said).toContain('Stopped. Run the command again to continue.')
    expect(await programsOfProject()).toEqual([])
    resultOf(await run('create', 'stopped', '--json'))
    resultOf(await run('remove', 'stopped', '--confirm', 'stopped', '--json'))
  }, 120_000)
})

describe('npm run tenant on a fresh clone', () => {
  it('creates a tenant, and a key for a lost one, that npm start serves beside demo', async () => {
    const created = resultOf(await run('create', 'acme', '--name', "Ann's", '--json'))
    const lost = resultOf(await run('key', 'acme', '--json'))
    const served = await serve(async (origin, demoKey) => ({
      created: await workspaceOf(origin, created.settings_key),
      lost: await workspaceOf(origin, lost.settings_key),
      demo: await workspaceOf(origin, demoKey),
    }))
    expect(served).toMatchObject({
      created: { data: { tenant: 'acme', name: "Ann's" } },
      lost: { data: { tenant: 'acme' } },
      demo: { data: { tenant: 'demo' } },
    })
    resultOf(await run('remove', 'acme', '--confirm', 'acme', '--json'))
  }, 180_000)

  it('names the migration that fails, and applies those before it', async () => {
    resultOf(await run('create', 'broken', '--json'))
    await project.write('migrations/0098_sound.sql', 'CREATE TABLE sound (id TEXT);')
    await project.write('migrations/0099_broken.sql', 'CREATE TABLE locations (id TEXT);')
    try {
      const { code, stderr } = await run('migrate', 'broken')
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/0099_broken[\s\S]*table locations already exists/),
      })
      const { migrations } = resultOf(await run('status', 'broken', '--json'))
      expect(migrations.pending).toEqual(['0099_broken.sql'])
    } finally {
      for (const name of ['0098_sound', '0099_broken'])
        await rm(join(project.folder, `migrations/${name}.sql`))
    }
    resultOf(await run('remove', 'broken', '--confirm', 'broken', '--json'))
  }, 180_000)

  it('changes nothing when it is a dry run, is not confirmed, or has been done', async () => {
    const before = await project.read('wrangler.toml')
    const planned = resultOf(await run('create', 'gamma', '--dry-run', '--json'))
    expect(planned.steps).toContain('create the database crossdock-gamma')
    expect(await project.read('wrangler.toml')).toBe(before)
    resultOf(await run('create', 'gamma', '--json'))
    const made = await project.read('wrangler.toml')
    expect(await run('create', 'gamma')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('gamma already exists on this'),
    })
    expect(await run('remove', 'gamma')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--confirm gamma'),
    })
    expect(await project.read('wrangler.toml')).toBe(made)
    resultOf(await run('remove', 'gamma', '--confirm', 'gamma', '--json'))
    expect(await project.read('wrangler.toml')).toBe(before)
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

  it('counts and deletes the documents that are kept of a tenant, also under a running server', async () => {
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
  }, 240_000)

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
  }, 240_000)

  it('waits while another program holds a file of the local state for a moment', async () => {
    resultOf(await run('create', 'held', '--json'))
    const state = join(project.folder, '.wrangler/state/v3/d1/miniflare-D1DatabaseObject')
    const db = new DatabaseSync(join(state, 'metadata.sqlite'))
    db.exec('pragma locking_mode = exclusive; begin exclusive')
    const asked = run('status', 'held', '--json')
    await sleep(HELD_MS)
    db.close()
    expect(resultOf(await asked)).toMatchObject({ tenant: 'held', migrations: { pending: [] } })
  }, 120_000)

  it('creates five tenants one after the other under one running server, which serves each', async () => {
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
  }, 300_000)
})

/** The command lines of programs that run in the copy. */
async function programsOfProject(): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args'])
  return stdout.split('\n').filter((args) => args.includes(project.folder))
}
