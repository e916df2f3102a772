import { describe, expect, it } from 'vitest'
import { cloudflare, create, expectMade, toml, workspaceOf } from './creating.ts'
import { resultOf } from './operator.ts'

/** The values of a Worker's secrets. */
function secretsOf(worker: string): Record<string, string> {
  const { bindings = [] } = cloudflare.scripts().find(({ name }) => name === worker) ?? {}
  return Object.fromEntries(
    bindings.flatMap((each) => (each.type === 'secret_text' ? [[each.name, each.text]] : [])),
  )
}

describe('npm run tenant -- create, at Cloudflare', () => {
  it('makes a tenant that answers at its host, and only there', async () => {
    const before = await toml()
    const creating = await create('acme', '--jurisdiction', 'eu', '--json')
    const created = resultOf(creating)
    expect(creating.stderr).toContain('are not within the jurisdiction eu')
    expect(created).toEqual({
      tenant: 'acme',
      base_url: 'https://acme.staging.crossdock.example',
      settings_key: expect.stringMatching(/^xd_acme_/),
    })
    await expectMade('acme', created.settings_key)
    expect(cloudflare.databases()).toEqual([
      expect.objectContaining({ name: 'crossdock-staging-acme', jurisdiction: 'eu' }),
    ])

    expect(cloudflare.buckets()).toMatchObject([{ name: 'crossdock-staging-documents' }])
    const [namespace, ...more] = cloudflare.namespaces()
    expect(more).toEqual([])
    expect(await toml()).toContain(`[[env.staging.kv_namespaces]]
binding = "KEYS"
id = "${namespace?.id}"`)
    const kept = (await toml()).replace(`id = "${namespace?.id}"\n`, '')
    expect(kept.startsWith(before)).toBe(true)
    const [script, ...others] = cloudflare.scripts()
    expect(others).toEqual([])
    expect(script).toMatchObject({
      name: 'crossdock-staging',
      routes: ['*.staging.crossdock.example/*'],
      crons: ['7-59/10 * * * *', '2-59/10 * * * *'],
    })
    expect(script?.bindings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'BASE_DOMAIN', text: 'staging.crossdock.example' }),
        expect.objectContaining({ name: 'KEYS', namespace_id: namespace?.id }),
        expect.objectContaining({ name: 'DOCUMENTS', bucket_name: 'crossdock-staging-documents' }),
        expect.objectContaining({ name: 'DB_ACME', type: 'd1' }),
        expect.objectContaining({ name: 'RATE_LIMITER', class_name: 'RateLimiter' }),
        expect.objectContaining({ name: 'FAILED_LOOKUPS', type: 'ratelimit' }),
      ]),
    )
    expect(await workspaceOf('other', created.settings_key)).toMatchObject({
      error: { code: 'KEY_INVALID' },
    })

    // So no cache that has a removed tenant of this slug is current.
    const [leap] = await cloudflare.query(
      'crossdock-staging-acme',
      "SELECT settings_version FROM settings_changes WHERE subject = 'workspace'",
    )
    expect(leap?.settings_version).toBeGreaterThan(Date.now() / 1000 - 3600)

    const secrets = secretsOf('crossdock-staging')
    expect(secrets).toEqual({
      SESSION_SECRET: expect.stringMatching(/^[\w-]{43}$/),
      WEBHOOK_SECRET_KEY: expect.stringMatching(/^[\w-]{43}$/),
    })
  })

  it('changes nothing when it is a dry run', async () => {
    const before = await toml()
    const { steps } = resultOf(await create('planned', '--dry-run', '--json'))
    expect(steps).toContain('create the database crossdock-staging-planned')
    expect(steps).toContain('deploy crossdock-staging')
    expect(await toml()).toBe(before)
    expect(
      cloudflare.calls.every(({ method, kind }) => method === 'GET' || kind === 'd1.query'),
    ).toBe(true)
  })
})
