import { describe, expect, it } from 'vitest'
import { CONFIG, CONFIG_OPTION } from '../../scripts/tenant/config-file.ts'
import { project, run } from './local.ts'

describe('the configuration of the commands', () => {
  it('is wrangler.toml, or wrangler.local.toml if that is there', async () => {
    expect([CONFIG, CONFIG_OPTION]).toEqual(['wrangler.toml', []])
    const tracked = await run('create', 'acme', '--dry-run')
    expect(tracked.stdout).toContain('add its block to wrangler.toml, which git tracks')
    await project.write('wrangler.local.toml', await project.read('wrangler.toml'))
    const own = await run('create', 'acme', '--dry-run')
    expect(own.stdout).toContain('add its block to wrangler.local.toml\n')
  })
})

describe('a file wrangler.local.toml', () => {
  it('takes the place of wrangler.toml, and of it alone tenants are added', async () => {
    const tracked = await project.read('wrangler.toml')
    await project.write('wrangler.local.toml', tracked)
    const created = await run('create', 'acme')
    expect(created.stderr).toContain('Adding DB_ACME to wrangler.local.toml')
    expect(created.stdout).toContain('The block is in wrangler.local.toml, which git ignores.')
    expect(await project.read('wrangler.toml')).toBe(tracked)
    expect(await project.read('wrangler.local.toml')).toContain('binding = "DB_ACME"')
    // Wrangler finds the database by its name.
    const { code, stdout } = await run('status', 'acme')
    expect([code, stdout]).toEqual([0, expect.stringContaining('acme')])
  })
})
