import { describe, expect } from 'vitest'
import { resultOf } from './operator.ts'
import { changesIn, expectRestored, goOn, open, outcomeOf, SLUG } from './restoring.ts'
import { it } from './staging.ts'

describe('npm run tenant -- restore --to', () => {
  it('sets a tenant back, and ends the keys again that had ended', async ({ staging }) => {
    const shop = await open(staging)
    const { successor } = await goOn(staging, shop)
    const { kept, revoked, rotated } = shop.keys
    const args = ['restore', SLUG, '--to', shop.time, '--confirm', SLUG, '--json']
    const before = await staging.contents(SLUG)

    const planned = resultOf(await staging.tenant(...args, '--dry-run'))
    expect(planned).toMatchObject({ dry_run: true, tenant: SLUG })
    expect(await staging.contents(SLUG)).toEqual(before)

    const done = resultOf(await staging.tenant(...args))
    await expectRestored(staging, shop, successor)
    expect(done).toMatchObject({
      tenant: SLUG,
      restored_to: shop.time,
      undo: expect.any(String),
      integration_enabled: true,
      live_keys: null,
      pending_migrations: [],
      keys: {
        revoked_again: [{ id: revoked.id, name: 'Revoked' }],
        shortened_again: [{ id: rotated.id }],
        gone: [{ id: successor.id, rotated_from: rotated.id }],
        changed_back: [{ id: kept.id, name: 'Renamed', fields: ['name'] }],
      },
      requests: { with_document: 1 },
    })
    const lines = (await staging.project.read(done.requests.file)).trim().split('\n')
    const lost = lines.map((line) => JSON.parse(line))
    expect(lost).toHaveLength(done.requests.count)
    expect(lost.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/integrations/v1/orders/',
      `DELETE /api/settings/v1/api-keys/${revoked.id}/`,
      `POST /api/settings/v1/api-keys/${rotated.id}/rotate/`,
      `PUT /api/settings/v1/api-keys/${kept.id}/`,
    ])
    expect(lost[0]).toMatchObject({
      record_name: 'since',
      document: expect.stringMatching(/^acme\/documents\/\d{4}-\d\d-\d\d\/-\/[\w-]+$/),
    })
    expect(await staging.project.read(done.export)).toContain("'since'")

    staging.cloudflare.recover()
    expect(resultOf(await staging.tenant(...args))).toEqual(done)
    expect(changesIn(staging)).toEqual([])
    expect(await outcomeOf(staging, kept.key, 'before')).toBe('200')
  })
})
