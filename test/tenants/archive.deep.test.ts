import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { archiveKey } from '../../src/engine/log/archive/objects.ts'
import { filling } from './fill.ts'
import { at } from './moving.ts'
import { writeTenant } from './new-tenant.ts'
import { resultOf } from './operator.ts'
import { it, type Staging } from './staging.ts'

const BUCKET = 'crossdock-staging-documents'
const AT = '2026-10-01T00:00:00.000Z'
const ID = '3b0f5b0c-6c0f-4b8e-9d55-2a9a6a1b7a10'

const text = `${JSON.stringify({
  ...{ seq: 1, request_id: ID, created_at: AT, settings_version: 1, api_key_id: 'k' },
  ...{ api_key_name: 'K', method: 'GET', path: '/x/', status: 200, duration_ms: 1, dry_run: false },
})}\n`
const object = {
  ...{ first_seq: 1, last_seq: 1, first_at: AT, last_at: AT, rows: 1, bytes: text.length },
  sha256: createHash('sha256').update(text).digest('hex'),
}
const KEY = archiveKey('acme', object)
const NAME = KEY.slice('acme/audit/'.length)

/** An export of a tenant with one archived row: a file, and the folder beside it. */
async function writeArchived({ project }: Staging, file = 'acme.sql') {
  const path = join(project.folder, file)
  const names = Object.keys(object)
  const sql = `INSERT INTO audit_archives (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
  // Rows of the log that are archived are in it no longer.
  const later = { sql: 'UPDATE audit_log SET seq = seq + 1000000' }
  const rows = [...filling(5), later, { sql, params: Object.values(object) }]
  const { key } = await writeTenant(path, 'acme', rows)
  await mkdir(`${path}.audit`)
  await writeFile(join(`${path}.audit`, NAME), gzipSync(text))
  return key
}

const keysIn = async ({ cloudflare }: Staging) =>
  (await cloudflare.keys(BUCKET)).filter((key) => key.startsWith('acme/'))

describe.concurrent('the archive of the audit log', () => {
  it('comes with an import, leaves with an export, a backup and the removal, and comes back', async ({
    staging,
  }) => {
    const { project, cloudflare } = staging
    const key = await writeArchived(staging)
    resultOf(await staging.tenant('import', 'acme', 'acme.sql', '--json'))
    expect(await keysIn(staging)).toEqual([KEY])
    const { status, body } = await at(cloudflare, '.staging', key).call('GET', `/audit-log/${ID}/`)
    expect([status, body.error, body.data?.created_at]).toEqual([200, undefined, AT])

    const exported = resultOf(await staging.tenant('export', 'acme', 'out.sql', '--json'))
    expect(exported.archive).toBe('out.sql.audit')
    expect(await readdir(join(project.folder, 'out.sql.audit'))).toEqual([NAME])
    const { documents, archive } = resultOf(await staging.tenant('status', 'acme', '--json'))
    expect([documents.count, archive.count]).toEqual([0, 1])
    resultOf(await staging.tenant('backup', 'acme', '--into', 'backups', '--json'))
    expect(await readdir(join(project.folder, 'backups'))).toContain(`acme.audit-${NAME}`)

    const removal = ['remove', 'acme', '--confirm', 'acme', '--export', 'last.sql', '--json']
    const planned = resultOf(await staging.tenant(...removal, '--dry-run'))
    expect(planned.steps).toEqual([
      'export to last.sql',
      'export the archive of its audit log to last.sql.audit',
      'remove DB_ACME from wrangler.toml',
      'deploy crossdock-staging without it',
      'delete the database crossdock-staging-acme',
      `delete the archive of its audit log, ${BUCKET}/acme/audit/`,
    ])
    expect(await keysIn(staging)).toEqual([KEY])
    resultOf(await staging.tenant(...removal))
    expect(await keysIn(staging)).toEqual([])
    const kept = await readFile(join(project.folder, 'last.sql.audit', NAME))
    expect(kept).toEqual(gzipSync(text))

    resultOf(
      await staging.tenant('restore', 'acme', '--from', 'backups', '--confirm', 'acme', '--json'),
    )
    expect(await keysIn(staging)).toEqual([KEY])
  })

  it('is refused where an object is missing or is not what it was, before anything is made', async ({
    staging,
  }) => {
    await writeArchived(staging)
    const path = join(staging.project.folder, 'acme.sql.audit', NAME)
    await writeFile(path, gzipSync(`${text} `))
    const changed = await staging.tenant('import', 'acme', 'acme.sql')
    await rm(path)
    const missing = await staging.tenant('import', 'acme', 'acme.sql')
    for (const { code, stderr } of [changed, missing]) {
      expect([code, stderr]).toEqual([1, expect.stringContaining(`The export lacks ${NAME}`)])
    }
    expect(staging.cloudflare.calls.filter(({ kind }) => kind === 'd1.create')).toEqual([])
  })
})
