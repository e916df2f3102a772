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
  })
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
  })

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
  })

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
  })

  it('waits while another program holds a file of the local state for a moment', async () => {
    resultOf(await run('create', 'held', '--json'))
    const state = join(project.folder, '.wrangler/state/v3/d1/miniflare-D1DatabaseObject')
    const db = new DatabaseSync(join(state, 'metadata.sqlite'))
    db.exec('pragma locking_mode = exclusive; begin exclusive')
    const asked = run('status', 'held', '--json')
    await sleep(HELD_MS)
    db.close()
    expect(resultOf(await asked)).toMatchObject({ tenant: 'held', migrations: { pending: [] } })
  })
})

/** The command lines of programs that run in the copy. */
async function programsOfProject(): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args'])
  return stdout.split('\n').filter((args) => args.includes(project.folder))
}
