import { describe, expect } from 'vitest'
import { resultOf } from './operator.ts'
import { it, type Staging } from './staging.ts'

const FILES = [
  '0001_initial.sql',
  '0002_audit_retention.sql',
  '0003_releases_and_rate_limits.sql',
  '0099_test.sql',
]

/** Deployed: acme is used and switched off; beta lacks a migration, its workspace and keys. */
async function openTenants(staging: Staging): Promise<void> {
  const { project, query, wrangler } = staging
  await staging.add('beta')
  await query('beta', 'DELETE FROM workspace; DELETE FROM api_keys;')
  await project.write('migrations/0099_test.sql', 'CREATE TABLE notices (id INTEGER) STRICT;\n')
  const [key = ''] = await staging.add('acme', 'gamma')
  const { code, stderr } = await wrangler(['deploy', '--env', 'staging'])
  if (code !== 0) throw new Error(stderr)
  await useAcme(staging, key)
}

/** Beside its first settings key acme has one more that lives, one revoked, and one that has expired. */
async function useAcme({ visit, query }: Staging, key: string): Promise<void> {
  const send = async (method: string, path: string, body: object) => {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    const init = { method, headers, body: JSON.stringify(body) }
    const answer = await visit('acme', `/api/settings/v1/${path}`, init)
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()) as { data: { id: string } }
  }
  const expires_at = '2099-01-01T00:00:00Z'
  await send('POST', 'api-keys/', { name: 'Live', expires_at })
  const revoked = await send('POST', 'api-keys/', { name: 'Revoked' })
  await send('DELETE', `api-keys/${revoked.data.id}/`, {})
  const expired = await send('POST', 'api-keys/', { name: 'Expired', expires_at })
  const past = new Date(Date.now() - 1000).toISOString()
  await query('acme', `UPDATE api_keys SET expires_at = '${past}' WHERE id = '${expired.data.id}';`)
  await send('PUT', 'workspace/', { integration_enabled: false })
}

/** The cells of each line, cut where the headings begin: a column that is out of line is cut wrongly. */
function cellsOf(table: string): string[][] {
  const lines = table.split('\n')
  const starts = [...(lines[0] ?? '').matchAll(/\S+(?: \S+)*/g)].map(({ index }) => index)
  return lines.map((line) =>
    starts.map((start, i) => line.slice(start, starts[i + 1]).replace(/ {2,}$/, '')),
  )
}

describe.concurrent('npm run tenant -- list and status', () => {
  it('tell what each database says, also while one cannot be asked', async ({ staging }) => {
    const { cloudflare, query, slugOf, tenant } = staging
    await openTenants(staging)
    cloudflare.fail('d1.query', { when: 'before', where: (call) => slugOf(call) === 'gamma' })

    const listed = resultOf(await tenant('list', '--json'))
    const [newest] = await query('acme', 'SELECT created_at FROM audit_log ORDER BY seq DESC')
    const placeOf = (slug: string) => ({
      tenant: slug,
      base_url: `https://${slug}.staging.crossdock.example`,
      database: `crossdock-staging-${slug}`,
      database_id: cloudflare.databases().find(({ name }) => name.endsWith(`-${slug}`))?.id,
    })
    const size_bytes = expect.any(Number)
    const acme = {
      ...placeOf('acme'),
      migrations: { applied: FILES, pending: [] },
      size_bytes,
      last_request_at: newest?.created_at,
      live_keys: 2,
      integration_enabled: false,
      error: null,
    }
    const beta = {
      ...placeOf('beta'),
      migrations: { applied: FILES.slice(0, -1), pending: FILES.slice(-1) },
      size_bytes,
      last_request_at: null,
      live_keys: 0,
      integration_enabled: null,
      error: null,
    }
    const gamma = {
      ...placeOf('gamma'),
      migrations: { applied: [], pending: [] },
      size_bytes: null,
      last_request_at: null,
      live_keys: null,
      integration_enabled: null,
      error: expect.stringMatching(/^wrangler d1 execute: .*An unknown error has occurred/),
    }
    expect(listed).toEqual({
      environment: 'staging',
      tenants: [beta, acme, gamma],
      unbound: [],
    })
    const { error } = listed.tenants[2]

    const { code, stdout } = await tenant('list')
    const [table = '', faults] = stdout.split('\n\n')
    expect([code, faults]).toEqual([0, `gamma: ${error}\n`])
    const size = expect.stringMatching(/^\d{3} KB$/)
    expect(cellsOf(table)).toEqual([
      ['TENANT', 'MIGRATIONS', 'SIZE', 'LAST REQUEST', 'KEYS', 'INTEGRATION', 'BASE URL'],
      ['beta', '1 pending', size, 'never', '0', 'not set up', beta.base_url],
      ['acme', 'current', size, acme.last_request_at, '2', 'off', acme.base_url],
      ['gamma', 'cannot be asked', '', '', '', '', gamma.base_url],
    ])

    const shown = await tenant('status', 'beta')
    expect(shown.code).toBe(0)
    expect(shown.stdout.replace(/\d{3} KB/, '164 KB')).toBe(`Tenant        beta
Base URL      ${beta.base_url}
Database      crossdock-staging-beta (${beta.database_id})
Size          164 KB
Migrations    1 pending
              0001_initial.sql applied
              0002_audit_retention.sql applied
              0003_releases_and_rate_limits.sql applied
              0099_test.sql pending
Last request  never
Live keys     0
Integration   not set up
`)
    expect(resultOf(await tenant('status', 'acme', '--json'))).toEqual(acme)
    const silent = await tenant('status', 'gamma', '--json')
    expect(silent.code).toBe(1)
    expect(JSON.parse(silent.stdout)).toEqual({ error: `gamma cannot be asked: ${error}` })
  })

  it('say so where there are no tenants', async ({ staging }) => {
    const { tenant } = staging
    expect(resultOf(await tenant('list', '--json'))).toEqual({
      environment: 'staging',
      tenants: [],
      unbound: [],
    })
    const { code, stdout } = await tenant('list')
    expect([code, stdout]).toEqual([
      0,
      'There are no tenants in staging yet. Add one: npm run tenant -- create <slug> --env staging\n',
    ])
  })

  it('name the databases that have lost their block', async ({ staging }) => {
    const { cloudflare, tenant } = staging
    cloudflare.create('crossdock-staging-lost')
    cloudflare.create('crossdock-production-other')
    expect(resultOf(await tenant('list', '--json'))).toMatchObject({
      unbound: ['crossdock-staging-lost'],
    })
    expect((await tenant('list')).stdout).toContain(
      'crossdock-staging-lost has no block in wrangler.toml: npm run tenant -- create lost --env staging adds it.',
    )
  })

  it('tell where a block leads to the database of another tenant', async ({ staging }) => {
    const { project, query, tenant, add } = staging
    await add('acme')
    await query('acme', "UPDATE workspace SET tenant = 'beta'")
    expect((await tenant('list')).stdout).toContain('acme: its database is that of beta.')
    const { code, stderr } = await tenant('key', 'acme')
    expect(code).toBe(1)
    expect(stderr).toContain('The database crossdock-staging-acme is not that of acme.')
    expect(await query('acme', 'SELECT name FROM api_keys')).toHaveLength(1)
    expect(await project.read('wrangler.toml')).toContain('DB_ACME')
  })
})
