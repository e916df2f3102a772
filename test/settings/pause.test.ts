import { describe, expect, it } from 'vitest'
import { mintKey } from '../../src/engine/identity/key.ts'
import { inDeepPass, sample } from '../fixtures/depth.ts'
import { badOrder, idOf, openKept, SETTINGS } from '../fixtures/kept-documents.ts'
import { admin } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid, expectReason, expectRefusal } from '../fixtures/refusal.ts'
import { inSeconds, KEYS, WORKSPACE } from '../fixtures/settings.ts'
import { execute } from '../fixtures/sql.ts'
import { type Answer, type Api, client, createKey, unique } from '../fixtures/tenant.ts'

const PARTNERS = `${SETTINGS}/partners/`

interface Place {
  at: string
  /** Of a key that its pause holds back. */
  api: Api
}

function expectPaused(answer: Answer, retryAfter = '300') {
  expectReason(answer, 503, 'UNAVAILABLE', 'PAUSED')
  expect(answer.headers.get('Retry-After')).toBe(retryAfter)
}

// Of no tenant here.
const { value: KEY } = await mintKey('none')

const tagOf = ({ headers }: Answer) => headers.get('ETag') ?? ''
const newestChange = async () => (await admin.get(`${SETTINGS}/history/?limit=1`)).body.data[0].id

const PLACES: [string, () => Promise<Place>][] = [
  [
    'a key',
    async () => {
      const { id, value } = await createKey()
      return { at: `${KEYS}${id}/`, api: client(value) }
    },
  ],
  [
    'a partner',
    async () => {
      const { id, api } = await openPartner()
      return { at: `${PARTNERS}${id}/`, api }
    },
  ],
  ['the workspace', async () => ({ at: WORKSPACE, api: client((await createKey()).value) })],
]

describe.each(sample(PLACES, 1))('a pause of %s', (_, open) => {
  const resumed = async ({ at }: Place) => {
    const { status, body } = await admin.put(at, { pause: null })
    expect([status, body.data.pause]).toEqual([200, null])
  }

  it('holds back its next read, write and refused request, until it is resumed', async () => {
    const place = await open()
    expect((await place.api.get('/orders/')).status).toBe(200)
    const note = unique('Counting')
    expect((await admin.put(place.at, { pause: { note } })).body.data.pause).toEqual({
      until: null,
      note,
    })
    const sku = unique('S')
    for (const answer of [
      await place.api.get('/orders/'),
      await place.api.post('/products/', { sku }),
      await place.api.post('/orders/', 'no JSON'),
    ]) {
      expectPaused(answer)
      expect(answer.text).not.toContain(note)
    }
    await resumed(place)
    expectRefusal(await place.api.get(`/products/${sku}/`), 404, 'NOT_FOUND')
    expect((await place.api.post('/products/', { sku })).status).toBe(201)
  })

  it('says until when, and asks to try again after an hour at most', async () => {
    const place = await open()
    const until = inSeconds(7200)
    await admin.put(place.at, { pause: { until } })
    const answer = await place.api.get('/orders/')
    expectPaused(answer, '3600')
    expect(answer.body.detail).toContain(until)
    const far = await admin.put(place.at, { pause: { until: '9999-12-31' } })
    expect(far.body.data.pause.until).toBe('9999-12-31T00:00:00.000Z')
    expectPaused(await place.api.get('/orders/'), '3600')
    await admin.put(place.at, { pause: { until: inSeconds(30.5) } })
    expect(Number((await place.api.get('/orders/')).headers.get('Retry-After'))).toBeOneOf([30, 31])
    await resumed(place)
  })

  it('ends by itself, and is null then', async () => {
    const place = await open()
    const { body } = await admin.put(place.at, { pause: { until: inSeconds(0.8), note: 'Short' } })
    expectPaused(await place.api.get('/orders/'), '1')
    const version = body.data.settings_version
    const paused = await admin.get(place.at)
    await scheduler.wait(900)
    expect((await place.api.get('/orders/')).status).toBe(200)
    const known = { headers: { 'If-None-Match': tagOf(paused) } }
    const read = await admin.get(place.at, known)
    const { pause, settings_version } = read.body.data
    expect([read.status, pause, settings_version]).toEqual([200, null, version])
    expect(tagOf(read)).not.toBe(tagOf(paused))
    // What was read is sent back, as a client of the API does.
    const newest = await newestChange()
    const again = await admin.put(place.at, { pause }, { headers: { 'If-Match': tagOf(paused) } })
    expect([again.status, tagOf(again), await newestChange()]).toEqual([200, tagOf(read), newest])
    const rehearsed = await admin.put(`${place.at}?dry_run=true`, { pause })
    expect(rehearsed.body.data).toMatchObject({ pause: null })
  })

  it('stands in the history, and a change in between is not overwritten', async () => {
    const place = await open()
    const { headers } = await admin.get(place.at)
    const until = inSeconds(600)
    await admin.put(place.at, { pause: { until } })
    const outdated = { headers: { 'If-Match': headers.get('ETag') ?? '' } }
    expectRefusal(await admin.put(place.at, { pause: null }, outdated), 412, 'PRECONDITION_FAILED')
    expectPaused(await place.api.get('/orders/'), '600')
    await resumed(place)
    const { data } = (await admin.get(`${SETTINGS}/history/?limit=2`)).body
    expect(data.map(({ fields }: { fields: string[] }) => fields)).toEqual([['pause'], ['pause']])
    const { before, after } = (await admin.get(`${SETTINGS}/history/${data[0].id}/`)).body.data
    expect([before.pause, after.pause]).toEqual([{ until, note: null }, null])
  })

  it.each(
    sample(
      [
        ['until', { until: '2026-01-01' }],
        ['until', { until: 'tomorrow' }],
        ['until', { until: 5 }],
        ['note', { note: '' }],
        ['note', { note: 'x'.repeat(256) }],
        ['note', { note: `for ${KEY}` }],
        [null, 'yes'],
        [null, true],
        [null, []],
      ],
      12,
    ),
  )('is refused for what is wrong with its %s, and changes nothing: %j', async (field, pause) => {
    const place = await open()
    expectInvalid(await admin.put(place.at, { pause }), field === null ? 'pause' : `pause.${field}`)
    expect((await place.api.get('/orders/')).status).toBe(200)
  })
})

describe('several pauses', () => {
  it('hold until the last of them ends', async () => {
    const { id, key, api } = await openPartner()
    await admin.put(`${PARTNERS}${id}/`, { pause: { until: inSeconds(60) } })
    await admin.put(`${KEYS}${key.id}/`, { pause: { until: inSeconds(1200) } })
    expectPaused(await api.get('/orders/'), '1200')
    await admin.put(`${KEYS}${key.id}/`, { pause: null })
    expectPaused(await api.get('/orders/'), '60')
    await admin.put(`${PARTNERS}${id}/`, { pause: {} })
    expectPaused(await api.get('/orders/'))
  })
})

describe('a pause', () => {
  it('holds back no other partner and no other key', async () => {
    const [paused, other] = [await openPartner(), await openPartner()]
    await admin.put(`${PARTNERS}${paused.id}/`, { pause: {} })
    expect((await other.api.get('/orders/')).status).toBe(200)
    expect((await client((await createKey()).value).get('/orders/')).status).toBe(200)
  })

  it('is weaker than the off-switch, the end of a key and an unknown key', async () => {
    const { id, value } = await createKey()
    await admin.put(`${KEYS}${id}/`, { pause: {} })
    await admin.put(WORKSPACE, { integration_enabled: false })
    const off = await client(value).get('/orders/')
    await admin.put(WORKSPACE, { integration_enabled: true })
    expectRefusal(off, 403, 'WORKSPACE_DISABLED')
    await admin.delete(`${KEYS}${id}/`)
    expectRefusal(await client(value).get('/orders/'), 401, 'KEY_INVALID')
  })

  it('leaves the settings open to a paused key, which can resume itself', async () => {
    const { id, value } = await createKey(['settings.*', 'integrations.*'])
    const own = client(value)
    await own.put(`${KEYS}${id}/`, { pause: {} })
    expectPaused(await own.get('/orders/'))
    await own.put(`${KEYS}${id}/`, { pause: null })
    expect((await own.get('/orders/')).status).toBe(200)
  })

  it('needs no scope of the key that is paused, as a revocation needs none', async () => {
    const { id } = await createKey(['integrations.*'])
    const keeper = client((await createKey(['settings.keys.*'])).value)
    expect((await keeper.put(`${KEYS}${id}/`, { pause: {} })).status).toBe(200)
    const both = { pause: null, rate_limit: 5 }
    expectRefusal(await keeper.put(`${KEYS}${id}/`, both), 403, 'SCOPE_MISSING')
    expect((await keeper.put(`${KEYS}${id}/`, { pause: null })).status).toBe(200)
  })

  it('goes over to the key that replaces a paused one', async () => {
    const { id } = await createKey()
    await admin.put(`${KEYS}${id}/`, { pause: { note: 'Counting' } })
    const { body } = await admin.post(`${KEYS}${id}/rotate/`)
    expect(body.data.pause).toEqual({ until: null, note: 'Counting' })
    expectPaused(await client(body.data.key).get('/orders/'))
  })

  it('that is over does not go over to a new key', async () => {
    const { id } = await createKey()
    await admin.put(`${KEYS}${id}/`, { pause: { until: inSeconds(0.3), note: 'Short' } })
    await scheduler.wait(400)
    await admin.post(`${KEYS}${id}/rotate/`)
    const { data } = (await admin.get(`${SETTINGS}/history/?kind=api_key&limit=2`)).body
    const created = data.find(({ action }: { action: string }) => action === 'created')
    const { after } = (await admin.get(`${SETTINGS}/history/${created.id}/`)).body.data
    expect([after.rotated_from, after.pause]).toEqual([id, null])
  })

  it('may be there from the beginning', async () => {
    const partner = await admin.post(PARTNERS, { name: unique('P'), pause: {} })
    const key = await admin.post(KEYS, { name: unique('K'), pause: { until: inSeconds(90) } })
    expect(partner.body.data.pause).toEqual({ until: null, note: null })
    expectPaused(await client(key.body.data.key).get('/orders/'), '90')
  })

  it('of a partner that is deleted holds nothing back', async () => {
    const { id, key, api } = await openPartner()
    await admin.put(`${PARTNERS}${id}/`, { pause: {} })
    await admin.put(`${KEYS}${key.id}/`, { partner_id: null })
    await admin.delete(`${PARTNERS}${id}/`)
    expect((await api.get('/orders/')).status).toBe(200)
  })

  inDeepPass(() => {
    it('stops none of the requests that have been answered, and each that is not yet done', async () => {
      const { id, value } = await createKey()
      const api = client(value)
      await api.get('/orders/')
      const skus = Array.from({ length: 40 }, () => unique('S'))
      const sent = skus.map((sku) => api.post('/products/', { sku }))
      await admin.put(`${KEYS}${id}/`, { pause: {} })
      const answers = await Promise.all(sent)
      const late = await api.post('/products/', { sku: unique('S') })
      expectPaused(late)
      for (const [at, answer] of answers.entries()) {
        const found = await admin.get(`/products/${skus[at]}/`)
        expect([answer.status, found.status]).toBeOneOf([
          [201, 200],
          [503, 404],
        ])
      }
    })
  })

  it('that an operator writes in SQL holds and is shown, or is refused by the database', async () => {
    const { id, value } = await createKey()
    const write = (pause: string) =>
      execute('update api_keys set pause = ? where id = ?', pause, id)
    await write('{}')
    expectPaused(await client(value).get('/orders/'))
    expect((await admin.get(`${KEYS}${id}/`)).body.data.pause).toEqual({ until: null, note: null })
    const odd = [
      '{"until": 5}',
      '{"until": true}',
      '{"until": {}}',
      '{"until": "soon"}',
      '{"note": 5}',
    ]
    for (const pause of [...odd, '{until: null}', '[]', 'null', 'x']) {
      await expect(write(pause), pause).rejects.toThrow(/CHECK|malformed/)
    }
    await write('{"until": "2099-01-01T00:00:00Z", "note": "By SQL"}')
    expectPaused(await client(value).get('/orders/'), '3600')
  })

  it('does not hold back what somebody sends again', async () => {
    const { id, api } = await openKept({ of: 'errors', days: 7 })
    const refused = await api.post('/orders/', badOrder())
    await admin.put(`${PARTNERS}${id}/`, { pause: {} })
    const again = await admin.post(`${SETTINGS}/audit-log/${idOf(refused)}/send-again/`, {})
    expect(again.body.data.status).toBe(refused.status)
  })
})
