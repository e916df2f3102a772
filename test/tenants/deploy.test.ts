import { describe, expect } from 'vitest'
import { deploy } from '../../scripts/deploy.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { it } from './staging.ts'

describe('npm run deploy, asked for wrongly', () => {
  it.each([
    { args: [], says: 'deploy needs --env.\n\nUsage: npm run deploy -- --env <name>' },
    { args: ['staging'], says: "Unexpected argument 'staging'." },
    { args: ['--env', 'staging', '--now'], says: "Unknown option '--now'." },
    { args: ['--env', 'staging', '--wait', 'soon'], says: 'not "soon"' },
    { args: ['--env', 'moon'], says: 'wrangler.toml has no environment "moon".' },
  ])('says so: $args', async ({ args, says }) => {
    await expect(deploy(args)).rejects.toMatchObject({
      name: 'Failure',
      exitCode: 2,
      message: expect.stringContaining(says),
    })
  })
})

// The quick pass deploys by creating a tenant: create.test.ts.
inDeepPass(() => {
  describe.concurrent('npm run deploy', () => {
    it('shows its usage, and wants an environment', async ({ staging }) => {
      const usage = 'Usage: npm run deploy -- --env <name>'
      const helped = await staging.deploy('--help')
      expect(helped).toMatchObject({ code: 0, stdout: expect.stringContaining(usage), stderr: '' })
      const lost = await staging.deploy()
      expect(lost).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(usage) })
      expect(lost.stderr).not.toContain('    at ')
    })
  })
})
