import { describe, expect } from 'vitest'
import { resultOf } from './operator.ts'
import { at, goOn, open, outcomeOf, type Shop, SLUG } from './restoring.ts'
import { it, type Staging } from './staging.ts'
import { order } from './visitor.ts'

const BUCKET = 'crossdock-staging-documents'
const DAY_MS = 86_400_000
const RESTORE = ['restore', SLUG, '--confirm', SLUG, '--json']

/** The daily work of so many days from now: rows of today have long left the database, but for the newest one. */
async function afterDays({ cloudflare }: Staging, days: number): Promise<void> {
  const day = new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
  await cloudflare.runCron('crossdock-staging', new Date(`${day}T03:07:00Z`))
}

const archived = ({ query }: Staging) =>
  query(SLUG, 'SELECT first_seq, last_seq, sha256 FROM audit_archives ORDER BY last_seq')

const objectsOf = async ({ cloudflare }: Staging) =>
  (await cloudflare.keys(BUCKET)).filter((key) => key.startsWith(`${SLUG}/audit/`))

interface Logged {
  request_id: string
  created_at: string
  method: string
  record_name: string | null
}

/** What the audit log tells of requests that change something, newest first: by its pages, whichever place each row has. */
async function writesOf({ settings }: Shop): Promise<Logged[]> {
  const found: Logged[] = []
  for (let cursor = ''; ; ) {
    const path = `/audit-log/?limit=200${cursor && `&cursor=${cursor}`}`
    const { body } = await settings.call('GET', path)
    expect(body.error).toBeUndefined()
    found.push(...body.data)
    cursor = body.pagination.next_cursor ?? ''
    if (cursor === '') break
  }
  const ids = found.map(({ request_id }) => request_id)
  expect(new Set(ids).size).toBe(ids.length)
  return found.filter(({ method }) => method !== 'GET')
}

const idsOf = (rows: { request_id: string }[]) => rows.map(({ request_id }) => request_id)

async function undoneBy({ project }: Staging, { requests }: { requests: { file: string } }) {
  const lines = (await project.read(requests.file)).trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Logged)
}

describe.concurrent('a restore of a tenant with an archive of its audit log', () => {
  it('to a time neither loses nor doubles a row, and lists the requests that were archived since', async ({
    staging,
  }) => {
    const shop = await open(staging)
    const kept = await writesOf(shop)
    await goOn(staging, shop)
    const all = await writesOf(shop)
    const since = all.slice(0, all.length - kept.length)
    await afterDays(staging, 45)
    const [first] = await archived(staging)
    expect(await staging.query(SLUG, 'SELECT count(*) AS rows FROM audit_log')).toEqual([
      { rows: 1 },
    ])
    expect(idsOf(await writesOf(shop))).toEqual(idsOf(all))

    const done = resultOf(await staging.tenant(...RESTORE, '--to', shop.time))
    const undone = await undoneBy(staging, done)
    expect(idsOf(undone)).toEqual(idsOf(since).toReversed())
    expect(undone.map(({ record_name }) => record_name)).toContain('since')
    // The object stays, and no row of it is read any longer.
    expect(await objectsOf(staging)).toHaveLength(1)
    expect(await archived(staging)).toEqual([])
    const [restore, ...rest] = await writesOf(shop)
    expect(restore?.method).toBe('RESTORE')
    expect(idsOf(rest)).toEqual(idsOf(kept))

    await afterDays(staging, 46)
    const again = await archived(staging)
    expect(again).toMatchObject([{ first_seq: first?.first_seq }])
    expect(await objectsOf(staging)).toHaveLength(2)
    expect(idsOf(await writesOf(shop))).toEqual(idsOf([restore!, ...kept]))
  })

  it('to a time whose archive the retention has deleted since takes it off the list', async ({
    staging,
  }) => {
    const shop = await open(staging)
    await afterDays(staging, 45)
    const [key = ''] = await objectsOf(staging)
    const time = await staging.cloudflare.mark(`crossdock-staging-${SLUG}`)
    await staging.query(SLUG, 'UPDATE workspace SET audit_retention_days = 30')
    await afterDays(staging, 100)
    expect([await archived(staging), await objectsOf(staging)]).toEqual([[], []])

    const restored = await staging.tenant(...RESTORE, '--to', time)
    resultOf(restored)
    expect(restored.stderr).toContain(`${key} was deleted since: the audit log lacks its rows.`)
    expect(await archived(staging)).toEqual([])
    const [restore] = await writesOf(shop)
    expect(restore?.method).toBe('RESTORE')
    resultOf(await staging.tenant('backup', SLUG, '--into', 'saved', '--json'))
  })

  it('from a backup, in the place of what the tenant has, brings its archive back', async ({
    staging,
  }) => {
    const shop = await open(staging)
    await afterDays(staging, 45)
    const saved = await archived(staging)
    const [key = ''] = await objectsOf(staging)
    resultOf(await staging.tenant('backup', SLUG, '--into', 'saved', '--json'))
    const kept = await writesOf(shop)
    await order(at(staging, shop.keys.kept.key), 'since')
    // The newest row of all stays: so it is not the order's.
    await writesOf(shop)
    await afterDays(staging, 60)
    expect(await archived(staging)).toHaveLength(2)
    await staging.cloudflare.put(BUCKET, { [key]: 'not what was stored' })

    const restored = await staging.tenant(...RESTORE, '--from', 'saved')
    expect(restored.stderr).not.toContain('is not in the bucket')
    const done = resultOf(restored)
    const undone = await undoneBy(staging, done)
    expect(undone.map(({ record_name }) => record_name)).toEqual(['since'])
    expect(await archived(staging)).toEqual(saved)
    const [restore, ...rest] = await writesOf(shop)
    expect(restore?.method).toBe('RESTORE')
    expect(idsOf(rest)).toEqual(idsOf(kept))
    expect(await outcomeOf(staging, shop.keys.kept.key, 'since')).toBe('NOT_FOUND')
  })
})
