import { describe, expect } from 'vitest'
import { openSecret, sealSecret } from '../../src/engine/webhooks/sealed-secret.ts'
import { webhookKeys } from '../../src/engine/webhooks/secret-keys.ts'
import { deployments } from './deploying.ts'
import { it, type Staging } from './staging.ts'

const PLACE = { tenant: 'acme', webhook_id: 'wh_1' }

/** What the Worker finds in its environment. */
function environmentOf({ cloudflare }: Staging): Record<string, string> {
  const [script] = cloudflare.scripts()
  const bindings = script?.bindings ?? []
  return Object.fromEntries(
    bindings.flatMap((each) => (each.type === 'secret_text' ? [[each.name, each.text]] : [])),
  )
}

describe.concurrent('npm run tenant -- rotate-webhook-key', () => {
  it('wants a Worker, then adds a key, which a deployment leaves as it is', async ({ staging }) => {
    await staging.add('acme')
    const early = await staging.tenant('rotate-webhook-key')
    expect([early.code, early.stdout]).toEqual([1, ''])
    expect(early.stderr).toContain('crossdock-staging must be deployed first')
    expect(staging.cloudflare.scripts()).toEqual([])

    const deployed = await staging.deploy('--env', 'staging')
    expect(deployed.code, deployed.stderr).toBe(0)
    const before = environmentOf(staging)
    const sealed = await sealSecret(webhookKeys(before), PLACE, 'of the shop')

    const { code, stdout, stderr } = await staging.tenant('rotate-webhook-key')
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(/^crossdock-staging has WEBHOOK_SECRET_KEY_2\. Keep WEBHOOK_SECRET_KEY /)
    const after = environmentOf(staging)
    const { WEBHOOK_SECRET_KEY_2: added = '', ...others } = after
    expect(others).toEqual(before)
    expect(stdout + stderr).not.toContain(added)
    expect(webhookKeys(after)).toEqual([
      { number: 2, secret: added },
      { number: 1, secret: before.WEBHOOK_SECRET_KEY },
    ])
    expect(await openSecret(webhookKeys(after), PLACE, sealed)).toBe('of the shop')
    expect((await staging.visit('acme', '/healthz/')).status).toBe(200)

    staging.cloudflare.recover()
    const again = await staging.deploy('--env', 'staging')
    expect(again.code, again.stderr).toBe(0)
    expect(deployments(staging)).not.toEqual([])
    expect(environmentOf(staging)).toEqual(after)
  })
})
