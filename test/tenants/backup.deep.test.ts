import { createHash } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { MIGRATIONS } from '../../src/engine/db/migrations.ts'
import { sample } from '../fixtures/depth.ts'
import { filling } from './fill.ts'
import { resultOf } from './operator.ts'
import { it, type Staging } from './staging.ts'

const BUCKET = 'crossdock-staging-documents'

async function expectWhole(staging: Staging, folder: string, slugs: string[]) {
  const at = (file: string) => join(staging.project.folder, folder, file)
  const { tenants } = JSON.parse(await staging.project.read(`${folder}/manifest.json`))
  expect(tenants.map(({ tenant }: { tenant: string }) => tenant).toSorted()).toEqual(slugs)
  for (const { tenant, file, sha256, rows, taken_at, migrations } of tenants) {
    const bytes = await readFile(at(file))
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
    expect(gunzipSync(bytes).toString()).toContain(`'${tenant}'`)
    const orders = await staging.query(tenant, 'SELECT count(*) AS n FROM orders')
    expect(rows).toMatchObject({ orders: orders[0]?.n, workspace: 1 })
    expect(Date.parse(taken_at)).toBeLessThan(Date.now())
    const noted = await staging.query(tenant, 'SELECT backed_up_at FROM workspace')
    expect(noted).toEqual([{ backed_up_at: taken_at }])
    expect(migrations).toEqual(MIGRATIONS)
    expect((await stat(at(file))).mode & 0o777).toBe(0o600)
  }
}

describe.concurrent('npm run tenant -- backup', () => {
  it('backs up all tenants into a folder, and takes only what is missing the next time', async ({
    staging,
  }) => {
    const { cloudflare, project, slugOf } = staging
    await staging.add('acme', 'beta')
    await staging.write('acme', filling(20))
    const args = ['backup', '--all', '--into', 'nightly/one', '--json']
    const planned = resultOf(await staging.tenant(...args, '--dry-run'))
    expect(planned).toMatchObject({ dry_run: true, tenants: ['acme', 'beta'], kept: [] })

    const outage = cloudflare.fail('d1.export', {
      when: 'before',
      where: (call) => slugOf(call) === 'acme',
    })
    const failed = await staging.tenant(...args)
    expect(failed.code).toBe(1)
    expect(JSON.parse(failed.stdout)).toMatchObject({
      tenants: [{ tenant: 'beta' }],
      failed: [{ tenant: 'acme' }],
    })
    expect(failed.stderr).toContain('backup --all --env staging --into nightly/one')
    await outage.end()
    expect(resultOf(await staging.tenant(...args)).kept).toEqual(['beta'])
    await expectWhole(staging, 'nightly/one', ['acme', 'beta'])

    await writeFile(join(project.folder, 'nightly/one/beta.sql.gz'), 'cut')
    expect(resultOf(await staging.tenant(...args)).kept).toEqual(['acme'])
    await expectWhole(staging, 'nightly/one', ['acme', 'beta'])

    // A database that is full, or that has not been migrated yet.
    const full = cloudflare.fail('d1.query', {
      when: 'before',
      as: 'full',
      where: (call) => JSON.stringify(call.body).includes('SET backed_up_at'),
    })
    const unnoted = await staging.tenant('backup', 'acme', '--into', 'nightly/two')
    expect(full.hits).toBeGreaterThan(0)
    expect(unnoted.code).toBe(0)
    expect(unnoted.stderr + unnoted.stdout).toContain('could not note when it was backed up')
    await full.end()
  })

  it('backs up into R2, whichever call failed, and is read back from there', async ({
    staging,
  }) => {
    const { cloudflare } = staging
    await staging.add('acme')
    await staging.write('acme', filling(5))
    await cloudflare.put(BUCKET, { 'acme/documents/2026-11-23/-/x': 'kept' })
    const args = ['backup', 'acme', '--r2', '--into', 'day', '--json']
    const failures = [
      ['d1.export.download', 'before'],
      ['r2.object.put', 'before'],
      ['r2.object.put', 'after'],
      ['r2.object.get', 'before'],
    ] as const
    for (const [kind, when] of sample(failures, 1, 2)) {
      const outage = cloudflare.fail(kind, { when })
      const { code, stderr } = await staging.tenant(...args)
      expect(outage.hits, `${kind}: ${stderr}`).toBeGreaterThan(0)
      expect(code, kind).toBe(1)
      await outage.end()
      expect(await cloudflare.keys(BUCKET), kind).not.toContain('_backups/day/manifest.json')
    }
    const lost = cloudflare.fail('r2.object.put', { when: 'late' })
    expect(await staging.tenant(...args)).toMatchObject({ code: 1 })
    await lost.end()

    const { tenants } = resultOf(await staging.tenant(...args))
    expect(tenants).toMatchObject([{ tenant: 'acme', file: 'acme.sql.gz' }])
    expect(await cloudflare.keys(BUCKET)).toEqual([
      '_backups/day/acme.sql.gz',
      '_backups/day/manifest.json',
      'acme/documents/2026-11-23/-/x',
    ])

    const [before] = await staging.query('acme', 'SELECT count(*) AS n FROM orders')
    await staging.query('acme', 'DELETE FROM order_items; DELETE FROM orders')
    const restoring = ['restore', 'acme', '--from', 'day', '--r2', '--confirm', 'acme', '--json']
    resultOf(await staging.tenant(...restoring))
    expect(await staging.query('acme', 'SELECT count(*) AS n FROM orders')).toEqual([before])
  })
})
