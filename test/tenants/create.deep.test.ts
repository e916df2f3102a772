import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import {
  cloudflare,
  create,
  deploy,
  expectFailed,
  expectMade,
  fail,
  MADE,
  MIGRATION,
  project,
  run,
  toml,
  WORKSPACE,
  workspaceOf,
} from './creating.ts'
import { READING } from './deploying.ts'
import { resultOf, tenant } from './operator.ts'

describe('npm run tenant -- create, at Cloudflare', () => {
  it('does not create a tenant again, which also answers once it is deployed again', async () => {
    const { settings_key } = resultOf(await create('twice', '--json'))
    cloudflare.recover()
    const again = await create('twice')
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('twice already exists in stag'),
    })
    expect(cloudflare.calls.filter(({ kind }) => !READING.includes(kind))).toEqual([])

    const { code, stdout, stderr } = await deploy()
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('crossdock-staging is deployed; tenants that answer: 1.')
    expect(stdout).not.toContain('secret')
    expect(cloudflare.scripts()).toHaveLength(1)
    await expectMade('twice', settings_key)
    resultOf(await run(['remove', 'twice', '--confirm', 'twice', '--no-export', '--json']))
  })

  it('changes nothing without a login, and says how to get one', async () => {
    const before = await toml()
    cloudflare.signedOut = true
    const { code, stderr } = await create('nobody')
    expect(code).toBe(1)
    expect(stderr).toContain('Sign in first: npx wrangler login')
    expect(await toml()).toBe(before)
    expect(cloudflare.databases().map(({ name }) => name)).not.toContain('crossdock-staging-nobody')
  })

  it('does not deploy past a tenant that wrangler.toml lacks', async () => {
    cloudflare.create('crossdock-staging-elsewhere')
    cloudflare.create('crossdock-staging')
    cloudflare.create('crossdock-production-beta')
    const before = await toml()
    const { code, stderr } = await create('late')
    expect(code).toBe(1)
    expect(stderr).toContain(
      'wrangler.toml has no block for crossdock-staging-elsewhere: a deployment',
    )
    expect(await toml()).toBe(before)
    const dropped = await run(['remove', 'elsewhere', '--confirm', 'elsewhere', '--json'])
    expect(resultOf(dropped)).toEqual({ tenant: 'elsewhere', removed: true, export: null })
    await project.wrangler(['d1', 'delete', 'crossdock-production-beta', '-y'], cloudflare.env)
  })
})

describe('npm run tenant -- create, of a slug that a removed tenant had', () => {
  it('lets no key of that one in, although KV still has it', async () => {
    const old = resultOf(await create('again', '--json')).settings_key
    expect(await workspaceOf('again', old)).toMatchObject({ data: { tenant: 'again' } })
    resultOf(await run(['remove', 'again', '--confirm', 'again', '--no-export', '--json']))
    const { settings_key } = resultOf(await create('again', '--json'))
    expect(await workspaceOf('again', old)).toMatchObject({ error: { code: 'KEY_INVALID' } })
    await expectMade('again', settings_key)
  })
})

describe('npm run tenant -- create, of what is there in part', () => {
  it('gives a tenant its lost block back, and no new key', async () => {
    const before = await toml()
    const { settings_key } = resultOf(await create('found', '--json'))
    const whole = await toml()
    await project.write('wrangler.toml', before)
    const list = await run(['list'])
    expect(list.stdout).toContain('crossdock-staging-found has no block in wrangler.toml')
    expect(resultOf(await create('found', '--json'))).toEqual({
      tenant: 'found',
      base_url: 'https://found.staging.crossdock.example',
      settings_key: null,
    })
    expect(await toml()).toBe(whole)
    await expectMade('found', settings_key)
  })

  it('does not take a database elsewhere for one in the jurisdiction', async () => {
    cloudflare.create('crossdock-staging-abroad')
    const { code, stderr } = await create('abroad', '--jurisdiction', 'eu')
    expect(code).toBe(1)
    expect(stderr).toContain('crossdock-staging-abroad already exists outside the jurisdiction eu')
    resultOf(await run(['remove', 'abroad', '--confirm', 'abroad', '--json']))
  })

  it('leaves the databases of an environment with a longer name alone', async () => {
    const before = await toml()
    await project.write(
      'wrangler.toml',
      `${before}
[env.staging-eu.vars]
BASE_DOMAIN = "eu.crossdock.example"
`,
    )
    cloudflare.create('crossdock-staging-eu-acme')
    for (const command of ['create', 'remove']) {
      const { code, stderr } = await run([command, 'eu-acme'])
      expect(code).toBe(2)
      expect(stderr).toContain(
        'would be crossdock-staging-eu-acme, which belongs to another environment',
      )
    }
    await project.write('wrangler.toml', before)
    await project.wrangler(['d1', 'delete', 'crossdock-staging-eu-acme', '-y'], cloudflare.env)
  })
})

describe('npm run tenant -- create, when Cloudflare fails', () => {
  it('is finished by the next run, whichever step did its work unheard', async () => {
    const [database, deployment] = [
      { kind: 'd1.create' },
      { kind: 'deployment.create', first: 'script.put' },
    ]
    for (const at of sample([database, MIGRATION, WORKSPACE, deployment], 1, 2)) {
      await expectFailed('unheard', at, 'after')
    }
    const outage = fail(MADE, 'after')
    const created = resultOf(await create('unheard', '--json'))
    expect(outage.hits).toBeGreaterThan(0)
    await expectMade('unheard', created.settings_key)
  })

  it('makes one KV namespace and one bucket, whichever deployment failed after it', async () => {
    const args = ['create', 'first', '--env', 'production']
    const failures = [
      ['kv.create', 'before'],
      ['kv.create', 'after'],
      ['r2.get', 'before'],
      ['r2.create', 'before'],
      // The bucket is made in this run, and nobody hears of it.
      ['script.put', 'before'],
    ] as const
    for (const [kind, when] of sample(failures, 1, 2)) {
      const lost = kind === 'script.put' && cloudflare.fail('r2.create', { when: 'after' })
      const outage = cloudflare.fail(kind, { when })
      const { code, stderr } = await tenant(project, args, cloudflare.env)
      expect(outage.hits, `${kind}: ${stderr}`).toBeGreaterThan(0)
      expect(code, kind).toBe(1)
      if (lost) expect(lost.hits).toBeGreaterThan(0)
      await outage.end()
    }
    resultOf(await tenant(project, [...args, '--json'], cloudflare.env))
    const namespaces = cloudflare.namespaces().filter(({ title }) => title.includes('production'))
    expect(namespaces).toHaveLength(1)
    const buckets = cloudflare.buckets().filter(({ name }) => name.includes('production'))
    expect(buckets).toHaveLength(1)
    expect(await toml()).toContain(`[[env.production.kv_namespaces]]
binding = "KEYS"
id = "${namespaces[0]?.id}"`)
  })
})
