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
