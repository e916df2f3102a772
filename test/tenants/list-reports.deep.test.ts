import { describe, expect } from 'vitest'
import { MIGRATIONS } from '../../src/engine/db/migrations.ts'
import { resultOf } from './operator.ts'
import { it, type Staging } from './staging.ts'

const FILES = [...MIGRATIONS, '0099_test.sql']

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
  await query('acme', SECRETS)
}

/** Webhooks with secrets of two keys, one that has ended, and one that is revoked. Both live ones have expired as keys. */
const SECRETS = `INSERT INTO partners (id, name, created_at, updated_at) VALUES ('p', 'Shop', '2026-01-01', '2026-01-01');
  INSERT INTO api_keys (id, hash, hint, name, scopes, partner_id, created_at, expires_at, revoked_at, webhook, webhook_secrets)
  SELECT name, name, name, name, '[]', 'p', '2026-01-01', '2026-01-02', revoked_at,
    '{"resource":"orders","verification":{"kind":"hmac"}}', secrets
  FROM (SELECT 'one' AS name, NULL AS revoked_at,
      '[{"sealed":"1.2.aaaaaaaa.x"},{"sealed":"1.1.bbbbbbbb.x","ends_at":"2099-01-01T00:00:00.000Z"}]' AS secrets
    UNION ALL SELECT 'two', NULL, '[{"sealed":"1.1.bbbbbbbb.x"},{"sealed":"1.1.bbbbbbbb.x","ends_at":"2026-01-01T00:00:00.000Z"}]'
    UNION ALL SELECT 'gone', '2026-01-01', '[{"sealed":"1.1.bbbbbbbb.x"}]');`

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
      webhook_secrets: { WEBHOOK_SECRET_KEY_2: 1, WEBHOOK_SECRET_KEY: 2 },
      integration_enabled: false,
      error: null,
    }
    const beta = {
      ...placeOf('beta'),
      migrations: { applied: FILES.slice(0, -1), pending: FILES.slice(-1) },
      size_bytes,
      last_request_at: null,
      live_keys: 0,
      webhook_secrets: {},
      integration_enabled: null,
      error: null,
    }
    const gamma = {
      ...placeOf('gamma'),
      migrations: { applied: [], pending: [] },
      size_bytes: null,
      last_request_at: null,
      live_keys: null,
      webhook_secrets: null,
      integration_enabled: null,
      error: expect.stringMatching(/^wrangler d1 execute: .*An unknown error has occurred/),
    }
    expect(listed).toEqual({
      environment: 'staging',
      tenants: [beta, acme, gamma],
      unbound: [],
      backup: expect.any(Array),
    })
    const { error } = listed.tenants[2]

    const { code, stdout } = await tenant('list')
    const [table = '', faults] = stdout.split('\n\n')
    expect([code, faults]).toEqual([
      0,
      `gamma: ${error}\nBackups in crossdock-staging-documents: none of the last 7 days.\nSecrets of webhooks: 1 by WEBHOOK_SECRET_KEY_2, 2 by WEBHOOK_SECRET_KEY (acme)\n`,
    ])
    const size = expect.stringMatching(/^\d{3} KB$/)
    expect(cellsOf(table)).toEqual([
      ['TENANT', 'MIGRATIONS', 'SIZE', 'LAST REQUEST', 'KEYS', 'INTEGRATION', 'BASE URL'],
      ['beta', '1 pending', size, 'never', '0', 'not set up', beta.base_url],
      ['acme', 'current', size, acme.last_request_at, '2', 'off', acme.base_url],
      ['gamma', 'not readable', '', '', '', '', gamma.base_url],
    ])

    const shown = await tenant('status', 'beta')
    expect(shown.code).toBe(0)
    expect(shown.stdout.replace(/\d{3} KB/, '164 KB')).toBe(`Tenant        beta
Base URL      ${beta.base_url}
Database      crossdock-staging-beta (${beta.database_id})
Size          164 KB
Migrations    1 pending
${MIGRATIONS.map((file) => `              ${file} applied\n`).join('')}              0099_test.sql pending
Last request  never
Live keys     0
Secrets       none
Integration   not set up
Documents     none
Log archive   none
`)
    expect(resultOf(await tenant('status', 'acme', '--json'))).toEqual({
      ...acme,
      documents: { count: 0, bytes: 0, is_more: false },
      archive: { count: 0, bytes: 0, is_more: false },
    })
    expect((await tenant('status', 'acme')).stdout).toContain(
      '\nSecrets       1 by WEBHOOK_SECRET_KEY_2, 2 by WEBHOOK_SECRET_KEY\n',
    )
    const silent = await tenant('status', 'gamma', '--json')
    expect(silent.code).toBe(1)
    expect(JSON.parse(silent.stdout)).toEqual({ error: `gamma could not be read: ${error}` })
  })

  it('tell of a database that has no secrets of webhooks yet', async ({ staging }) => {
    await staging.add('delta')
    const triggers = ['added', 'changed', 'removed'].map(
      (what) => `DROP TRIGGER api_keys_${what}_remembered;`,
    )
    const column = 'ALTER TABLE api_keys DROP COLUMN webhook_secrets;'
    const unapplied = "DELETE FROM d1_migrations WHERE name > '0003';"
    await staging.query('delta', [...triggers, column, unapplied].join('\n'))
    const { migrations, webhook_secrets } = resultOf(
      await staging.tenant('status', 'delta', '--json'),
    )
    expect(migrations.pending).toEqual(MIGRATIONS.slice(2))
    expect(webhook_secrets).toEqual({})
  })
})
