import { describe, expect } from 'vitest'
import { resultOf, tenant } from './operator.ts'
import { it, type Staging } from './staging.ts'

const BUCKET = 'crossdock-staging-documents'
const REMOVE = ['remove', 'gone', '--confirm', 'gone', '--no-export', '--json']

/** Keys as the Worker makes them. */
const documents = (slug: string, count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `${slug}/documents/2026-11-${10 + (n % 20)}/-/${String(n).padStart(8, '0')}`,
      '12345',
    ]),
  )

const keysOf = async ({ cloudflare }: Staging, slug: string) =>
  (await cloudflare.keys(BUCKET)).filter((key) => key.startsWith(`${slug}/`))

describe.concurrent('documents that are kept', () => {
  it('are counted by status, of this tenant alone', async ({ staging }) => {
    await staging.add('gone', 'gone-too')
    const none = await staging.tenant('status', 'gone')
    expect(none.stdout).toMatch(/^Documents +none$/m)
    await staging.cloudflare.put(BUCKET, {
      ...documents('gone', 1203),
      ...documents('gone-too', 3),
    })
    expect(resultOf(await staging.tenant('status', 'gone', '--json'))).toMatchObject({
      tenant: 'gone',
      documents: { count: 1203, bytes: 5 * 1203, is_more: false },
    })
    const { stdout } = await staging.tenant('status', 'gone-too')
    expect(stdout).toMatch(/^Documents +3 \(1 KB\)$/m)
  })

  it('are left out of an export, which says so', async ({ staging }) => {
    await staging.add('gone')
    await staging.cloudflare.put(BUCKET, documents('gone', 2))
    const { code, stdout } = await staging.tenant('export', 'gone', 'gone.sql')
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('It leaves out documents that are kept'),
    ])
    expect(staging.cloudflare.calls.filter(({ kind }) => kind.startsWith('r2.'))).toEqual([])
  })

  it('go last when the tenant is removed, and those of others stay', async ({ staging }) => {
    const { cloudflare } = staging
    await staging.add('gone', 'gone-too')
    await cloudflare.put(BUCKET, { ...documents('gone', 1203), ...documents('gone-too', 3) })
    const plan = resultOf(await staging.tenant('remove', 'gone', '--dry-run', '--json'))
    expect(plan.steps.at(-1)).toBe('delete the documents that are kept of it')
    resultOf(await staging.tenant(...REMOVE))
    expect(await keysOf(staging, 'gone')).toEqual([])
    expect(await keysOf(staging, 'gone-too')).toHaveLength(3)
    const kinds = cloudflare.calls.map(({ kind }) => kind)
    expect(kinds.indexOf('r2.delete')).toBeGreaterThan(kinds.lastIndexOf('d1.delete'))
  })

  it('are deleted by the next run, whatever failed', async ({ staging }) => {
    const { cloudflare } = staging
    await staging.add('gone')
    await cloudflare.put(BUCKET, documents('gone', 1203))
    // The first slice is deleted, and nobody hears of it.
    const heard = cloudflare.fail('r2.delete', { when: 'after' })
    const first = await staging.tenant(...REMOVE)
    expect([first.code, heard.hits]).toEqual([1, 1])
    await heard.end()
    expect(cloudflare.databases()).toEqual([])
    expect(await keysOf(staging, 'gone')).toHaveLength(203)
    // A call that only reads is sent again three times.
    const listed = cloudflare.fail('r2.list', { when: 'before' })
    const second = await staging.tenant(...REMOVE)
    expect([second.code, listed.hits]).toEqual([1, 4])
    await listed.end()
    expect(resultOf(await staging.tenant(...REMOVE))).toMatchObject({
      tenant: 'gone',
      removed: true,
    })
    expect(await keysOf(staging, 'gone')).toEqual([])
    const { code, stderr } = await staging.tenant(...REMOVE)
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no tenant gone')])
  })

  it('need no bucket: without the block nothing of R2 is asked', async ({ staging }) => {
    const { cloudflare, project } = staging
    const config = await project.read('wrangler.toml')
    const block = `[[env.staging.r2_buckets]]\nbinding = "DOCUMENTS"\nbucket_name = "${BUCKET}"\n`
    expect(config).toContain(block)
    await project.write('wrangler.toml', config.replace(block, ''))
    const { settings_key } = resultOf(await staging.tenant('create', 'plain', '--json'))
    const answer = await staging.visit('plain', '/api/settings/v1/workspace/', {
      method: 'PUT',
      headers: { 'X-API-Key': settings_key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ keep_documents: { of: 'all', days: 1 } }),
    })
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining('no binding DOCUMENTS'),
    ])
    const status = await staging.tenant('status', 'plain')
    expect(status.stdout).toMatch(/^Documents +none are kept: there is no bucket$/m)
    resultOf(await staging.tenant('remove', 'plain', '--confirm', 'plain', '--no-export', '--json'))
    expect(cloudflare.calls.filter(({ kind }) => kind.startsWith('r2.'))).toEqual([])
    expect(cloudflare.buckets()).toEqual([])
  })

  it('are found with the credentials and the account that wrangler has', async ({ staging }) => {
    const { cloudflare, project } = staging
    await staging.add('gone')
    await cloudflare.put(BUCKET, documents('gone', 2))
    const { CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID, ...env } = cloudflare.env
    const status = ['status', 'gone', '--env', 'staging', '--json']
    const stranger = await tenant(project, status, env)
    expect([stranger.code, stranger.stdout]).toEqual([1, expect.stringContaining('Sign in first')])
    // Wrangler reads it, and nobody else does.
    await project.write('.env', `CLOUDFLARE_API_TOKEN=${CLOUDFLARE_API_TOKEN}\n`)
    expect(resultOf(await tenant(project, status, env)).documents.count).toBe(2)
  })

  it('are kept in the jurisdiction that the block names', async ({ staging }) => {
    const { cloudflare, project } = staging
    const config = await project.read('wrangler.toml')
    const named = `bucket_name = "${BUCKET}"\n`
    await project.write('wrangler.toml', config.replace(named, `${named}jurisdiction = "eu"\n`))
    const args = ['create', 'europe', '--jurisdiction', 'eu', '--json']
    const creating = await staging.tenant(...args)
    const { settings_key } = resultOf(creating)
    expect(creating.stderr).not.toContain('not within the jurisdiction')
    expect(cloudflare.buckets()).toMatchObject([{ name: BUCKET, jurisdiction: 'eu' }])
    await cloudflare.put(BUCKET, documents('europe', 2))
    const answer = await staging.visit('europe', '/api/settings/v1/workspace/', {
      method: 'PUT',
      headers: { 'X-API-Key': settings_key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ keep_documents: { of: 'all', days: 1 } }),
    })
    expect(answer.status).toBe(200)
    const removing = ['remove', 'europe', '--confirm', 'europe', '--no-export', '--json']
    resultOf(await staging.tenant(...removing))
    expect(await cloudflare.keys(BUCKET)).toEqual([])
  })
})
