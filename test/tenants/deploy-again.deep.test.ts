import { describe, expect } from 'vitest'
import { deployments, migrations } from './deploying.ts'
import { it, type Staging } from './staging.ts'

const NEW_CLASSES = {
  new_tag: 'delivery-driver',
  steps: [{ new_sqlite_classes: ['RateLimiter'] }, { new_sqlite_classes: ['DeliveryDriver'] }],
}

describe.concurrent('npm run deploy', () => {
  it('deploys, and deployed again leaves all but the version as it is', async ({ staging }) => {
    const { cloudflare, project } = staging
    await staging.add('acme')
    const run = () => staging.deploy('--env', 'staging')
    const deployed = 'crossdock-staging is deployed; tenants that answer: 1.\n'
    const first = await run()
    expect(first.code, first.stderr).toBe(0)
    expect(migrations(staging)).toEqual([NEW_CLASSES])
    expect(first.stdout).toBe(deployed)
    expect(first.stderr).toContain('secrets     adds SESSION_SECRET, WEBHOOK_SECRET_KEY')
    expect(first.stderr).toContain('with new secrets, SESSION_SECRET and WEBHOOK_SECRET_KEY (')
    const [before, toml] = [standing(staging), await project.read('wrangler.toml')]
    expect(before.scripts[0]?.bindings.map(({ name }) => name).toSorted()).toEqual([
      'ASSETS',
      'BASE_DOMAIN',
      'DB_ACME',
      'DELIVERIES',
      'DOCUMENTS',
      'FAILED_LOOKUPS',
      'KEYS',
      'METRICS',
      'RATE_LIMITER',
      'SESSION_SECRET',
      'WEBHOOK_SECRET_KEY',
    ])
    cloudflare.recover()

    const second = await run()
    expect(second.code, second.stderr).toBe(0)
    expect(second.stdout).toBe(deployed)
    expect(deployments(staging)).not.toEqual([])
    expect(migrations(staging)).toEqual([undefined])
    expect(standing(staging)).toEqual(before)
    expect(await project.read('wrangler.toml')).toBe(toml)
    cloudflare.recover()

    // The Worker is deployed and answers: a reminder that cannot be made is no failure.
    const outage = cloudflare.fail('secret.list', {
      when: 'before',
      where: () => cloudflare.calls.some(({ kind }) => kind === 'schedules.put'),
    })
    const third = await run()
    expect(outage.hits).toBeGreaterThan(0)
    expect([third.code, third.stdout], third.stderr).toEqual([0, deployed])

    // Of two branches that each add a migration, the later name may have been applied first.
    await project.write('migrations/0001a_late.sql', 'SELECT 1;\n')
    const late = await run()
    expect([late.code, late.stdout]).toEqual([1, ''])
    expect(late.stderr).toContain('Migrations are pending for acme.')
  })
})

/** What the account holds, but for versions. */
function standing({ cloudflare }: Staging) {
  return {
    databases: cloudflare.databases(),
    namespaces: cloudflare.namespaces(),
    scripts: cloudflare.scripts().map((script) => ({
      ...script,
      bindings: script.bindings.toSorted((a, b) => a.name.localeCompare(b.name)),
    })),
  }
}
