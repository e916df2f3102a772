import { describe, expect, it } from 'vitest'
import type { Fields } from '../fixtures/forms.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf, wordsOf } from '../fixtures/pages-read.ts'
import { openPartner } from '../fixtures/partner.ts'
import { openDashboard, versionIn } from '../fixtures/session.ts'
import { type Answer, createKey, type Json, unique } from '../fixtures/tenant.ts'
import {
  delivered,
  openWebhook,
  SECRET,
  SHOP_RULES,
  shopDocument,
  WEBHOOKS,
} from '../fixtures/webhooks.ts'
import { filledIn, shownIn } from './form-fields.ts'

const NEW = '/dashboard/new/webhook/'
const LIST = '/dashboard/webhooks/'

const addressIn = ({ text }: Answer) =>
  /https:\/\/[^<"]*\/webhooks\/v1\/xh_demo_\w{49}\//.exec(text)?.[0] ?? ''
const idIn = ({ text }: Answer) =>
  /data-address="\/dashboard\/webhooks\/([^/]*)\/"/.exec(text)?.[1] ?? ''
const find = async (id: string): Promise<Json> => (await admin.get(`${WEBHOOKS}/${id}/`)).body.data
const editAt = (id: string) => `${LIST}${id}/edit/`

/** The message at a field of the form. */
const errorAt = ({ text }: Answer, field: string) =>
  new RegExp(`id="${field}-error">(.*?)</small>`, 's').exec(text)?.[1]?.replaceAll('&quot;', '"') ??
  null

/** The shop's rules, as somebody types them. */
const SHOP: Fields = {
  resource: 'orders',
  kind: 'hmac',
  header: 'X-Shop-Signature',
  event: 'header X-Shop-Topic',
  delivery_id: 'header X-Shop-Delivery',
  actions: 'order.created = upsert\norder.updated = upsert\n\norder.deleted=cancel\n* = skip',
  take_if: SHOP_RULES.take_if,
  cancel_if: SHOP_RULES.cancel_if,
  changed_at: 'modified',
  headers: 'X-Shop-Domain\n\nX-Region',
  query: 'location',
}

const newShop = async (fields: Fields = {}): Promise<Fields> => ({
  ...SHOP,
  name: unique('webhook'),
  partner_id: (await openPartner()).id,
  ...fields,
})

describe('GET /dashboard/new/webhook/', () => {
  it('is filled in from a preset, without what only the user knows', async () => {
    const { text } = await dashboard.get(`${NEW}?preset=woocommerce-orders`)
    expect(shownIn(text, 'header')).toBe('X-WC-Webhook-Signature')
    expect(shownIn(text, 'event')).toBe('header X-WC-Webhook-Topic')
    expect(shownIn(text, 'actions').split('\r\n')).toContain('order.deleted = cancel')
    expect([shownIn(text, 'secret'), shownIn(text, 'name')]).toEqual(['', ''])
    expect(text).toContain('Make a long random text of letters and digits')
  })

  it('shows the spaces and prefixes of a preset as they are', async () => {
    const { text } = await dashboard.get(`${NEW}?preset=standard-webhooks`)
    const names = ['separator', 'prefix', 'signed', 'timestamp', 'id', 'secret_prefix']
    expect(names.map((name) => shownIn(text, name))).toEqual([
      ' ',
      'v1,',
      '{id}.{timestamp}.{body}',
      'header webhook-timestamp',
      'webhook-id',
      'whsec_',
    ])
  })

  it('is 404 for a preset that is none', async () => {
    expect((await dashboard.get(`${NEW}?preset=none`)).status).toBe(404)
  })

  it('has the partner that the address names', async () => {
    const { id } = await openPartner()
    const { text } = await dashboard.get(`${NEW}?partner_id=${id}`)
    expect(text).toContain(`value="${id}" selected`)
  })
})

describe('POST /dashboard/new/webhook/', () => {
  it('creates a webhook by hand that takes deliveries, and shows its address once', async () => {
    const partner = await openPartner()
    const fields = await newShop({ partner_id: partner.id, secret: SECRET, rate_limit: '90' })
    const made = await dashboard.post(NEW, fields)
    expect(made.status).toBe(201)
    expect(made.text).not.toContain(SECRET)
    const answer = await delivered(addressIn(made), await shopDocument(partner.api), { event: 'x' })
    expect([answer.status, answer.body.data.outcome]).toEqual([200, 'skipped'])
    const saved = await find(idIn(made))
    expect(saved).toMatchObject({ rate_limit: 90, partner_id: partner.id, needs_secret: false })
    const { encoding, signed, secret_encoding, ...verification } = saved.rules.verification
    const beside = { headers: ['X-Shop-Domain', 'X-Region'], query: ['location'] }
    expect({ ...saved.rules, verification }).toEqual({ ...SHOP_RULES, ...beside, document: null })
    expect((await dashboard.get(`${LIST}${idIn(made)}/`)).text).not.toContain(
      `xh_demo_${addressIn(made).slice(-45)}`,
    )
  })

  it('shows the steps at the sender of the preset that it began with', async () => {
    const path = `${NEW}?preset=woocommerce-orders`
    const { text } = await dashboard.get(path)
    const { id } = await openPartner()
    const fields = filledIn(text, 'webhook', { name: unique('Woo'), partner_id: id })
    const made = await dashboard.post(path, fields)
    expect(made.status).toBe(201)
    expect(wordsOf(made)).toContain('Enter the address above as Delivery URL.')
    expect(wordsOf(made)).toContain('Deliveries are taken once the secret is entered')
    expect(made.text).toContain(
      `/dashboard/partners/${id}/mappings/orders/?start=woocommerce-order`,
    )
  })

  it.each([
    ['basic', { username: 'shop' }, { kind: 'basic', username: 'shop' }],
    [
      'token',
      { header: 'Authorization', prefix: 'Bearer ' },
      { kind: 'token', header: 'Authorization', prefix: 'Bearer ' },
    ],
    ['address', {}, { kind: 'address' }],
    [
      'hmac',
      {
        ...{ header: 'Stripe-Signature', encoding: 'hex', prefix: 'v1=', separator: ',' },
        ...{ signed: '{timestamp}.{body}', timestamp: 'member t', tolerance_s: '60' },
      },
      {
        ...{ kind: 'hmac', header: 'Stripe-Signature', algorithm: 'sha256', encoding: 'hex' },
        ...{ prefix: 'v1=', separator: ',', signed: '{timestamp}.{body}', secret_encoding: 'utf8' },
        timestamp: { member: 't', tolerance_s: 60 },
      },
    ],
  ])('takes the members of the kind %s', async (kind, members, verification) => {
    const made = await dashboard.post(NEW, await newShop({ header: '', kind, ...members }))
    expect([made.status, (await find(idIn(made))).rules.verification]).toEqual([201, verification])
  })

  it('takes public keys, as PEM texts or as JWKs one below the other', async () => {
    const pair = () => crypto.subtle.generateKey({ name: 'Ed25519' }, true, ['sign', 'verify'])
    const [one, other] = [(await pair()) as CryptoKeyPair, (await pair()) as CryptoKeyPair]
    const spki = Buffer.from((await crypto.subtle.exportKey('spki', one.publicKey)) as ArrayBuffer)
    const pem = `-----BEGIN PUBLIC KEY-----\n${spki.toString('base64')}\n-----END PUBLIC KEY-----`
    const jwk = async (key: CryptoKey) => JSON.stringify(await crypto.subtle.exportKey('jwk', key))
    const members = { kind: 'public_key', key_algorithm: 'Ed25519' }
    for (const keys of [
      `${pem}\n${pem}\n`,
      `${await jwk(one.publicKey)}\n${await jwk(other.publicKey)}`,
      `[${await jwk(one.publicKey)}, ${await jwk(other.publicKey)}]`,
    ]) {
      const made = await dashboard.post(NEW, await newShop({ ...members, keys }))
      expect(made.status).toBe(201)
      expect((await find(idIn(made))).rules.verification.keys).toHaveLength(2)
      // What the form shows of them can be saved as it is.
      const again = await dashboard.get(editAt(idIn(made)))
      const saved = await dashboard.post(editAt(idIn(made)), filledIn(again.text, 'webhook', {}))
      expect(saved.status).toBe(303)
    }
  })

  it.each([
    ['name', { name: '' }, 'Must have at least 1 character.'],
    ['header', { header: 'Host' }, 'Must be a header that the sender sets.'],
    ['header', { header: '' }, 'Must have at least 1 character.'],
    ['event', { event: 'X-Shop-Topic' }, 'Write header X-Topic for a header, or path data.type.'],
    ['document', { document: '/data/object' }, 'is a JSON pointer: write "data.object".'],
    ['event', { event: 'path a[*].b' }, 'may lead to several values'],
    ['delivery_id', { delivery_id: 'member t' }, 'Write header X-Topic'],
    ['actions', { actions: 'order.created upsert' }, '"order.created upsert" is none.'],
    ['actions', { actions: 'a = upsert\na = skip' }, 'Names "a" twice.'],
    [
      'actions',
      { actions: 'order.made = deactivate' },
      'order.made: Must be one of these for orders',
    ],
    ['take_if', { take_if: 'status = paid' }, 'Cannot be read as a condition'],
    ['headers', { headers: 'X-Shop-Domain\nX-Shop-Signature' }, 'No. 2: Proves who sends'],
    ['query', { query: 'x'.repeat(300) }, 'No. 1: Must'],
    ['document', { document: 'a[*]' }, 'may lead to several values'],
    ['timestamp', { timestamp: 'X-Time' }, 'Write header X-Time, member t'],
    ['timestamp', { timestamp: 'header X-Time' }, 'Protects nothing'],
    ['tolerance_s', { timestamp: 'header X-Time', tolerance_s: '0' }, 'Must be at least 1.'],
    ['signed', { signed: '{nothing}' }, 'Does not know "{nothing}"'],
    ['origin', { origin: 'https://a.example' }, 'Has no effect'],
    ['id', { id: 'webhook-id' }, 'Has no effect'],
    ['secret_prefix', { secret_prefix: 'whsec_' }, 'Is for base64 secrets'],
    ['secret', { kind: 'address', secret: 'x' }, 'Has no effect'],
    ['username', { kind: 'basic', username: '' }, 'Must have at least 1 character.'],
    ['keys', { kind: 'public_key', keys: '' }, 'Must have at least 1 entry.'],
    ['keys', { kind: 'public_key', keys: 'MIIB' }, 'No. 1: Must be a PEM text'],
    ['key_algorithm', { kind: 'public_key', key_algorithm: 'HS256', keys: 'x' }, 'Must be one of'],
    ['kind', { kind: 'magic' }, 'Must be one of: hmac'],
    ['partner_id', { partner_id: 'nobody' }, 'No partner has the id "nobody".'],
    ['rate_limit', { rate_limit: 'many' }, 'Must be'],
    ['expires_at', { expires_at: '2020-01-01T00:00' }, 'Must be in the future.'],
  ])(
    'says at %s what is wrong with %j, and keeps what was typed',
    async (field, wrong, message) => {
      const fields = await newShop({ secret: '', ...(wrong as Fields) })
      const answer = await dashboard.post(NEW, fields)
      expect(answer.status).toBe(400)
      expect(errorAt(answer, field)).toContain(message)
      expect(shownIn(answer.text, 'changed_at')).toBe('modified')
      if (field !== 'partner_id')
        expect(answer.text).toContain(`value="${fields.partner_id}" selected`)
    },
  )

  it('does not show a secret again in a form with errors', async () => {
    const text = markupOf(
      await dashboard.post(NEW, await newShop({ name: '', secret: 'open-sesame' })),
      400,
    )
    expect(text).not.toContain('open-sesame')
  })

  it('refuses what the session may not grant, and creates nothing', async () => {
    const limited = await openDashboard(['settings.*', 'integrations.products.*'])
    const fields = await newShop()
    const answer = await limited.post(NEW, fields)
    expect(answer.status).toBe(403)
    expect(wordsOf(answer)).toContain('lacks the scope integrations.orders.*')
    const { text } = await dashboard.get(`${LIST}?partner_id=${fields.partner_id}`)
    expect(text).toContain('No webhook matches these filters.')
  })
})

describe('POST /dashboard/webhooks/:id/edit/', () => {
  it('saves a form that nobody has changed as it was, whatever the preset', async () => {
    for (const { name, rules } of (await admin.get('/api/settings/v1/webhook-presets/')).body
      .data) {
      const open = { basic: { username: 'x' }, public_key: { keys: [await rsaKey()] } }[
        rules.verification.kind as string
      ]
      const origin = String(rules.verification.signed).includes('{url}') && {
        origin: 'https://a.example',
      }
      const full = { ...rules, verification: { ...rules.verification, ...open, ...origin } }
      const beside = { headers: ['X-Shop-Domain'], query: ['location', 'shop'] }
      const { id } = await openWebhook({ rules: { ...full, ...beside }, secret: null })
      const before = await find(id)
      const { text } = await dashboard.get(editAt(id))
      const answer = await dashboard.post(editAt(id), filledIn(text, 'webhook', {}))
      expect([name, answer.status]).toEqual([name, 303])
      expect(await find(id)).toEqual(before)
    }
  })

  it('changes rules and settings, which hold for the next delivery', async () => {
    const { id, deliver, partner } = await openWebhook()
    const { text } = await dashboard.get(editAt(id))
    const changes = { name: unique('Renamed'), take_if: "@.status == 'none'" }
    const answer = await dashboard.post(editAt(id), filledIn(text, 'webhook', changes))
    expect(answer.headers.get('Location')).toBe(`${LIST}${id}/?done=webhook-saved`)
    expect((await deliver(await shopDocument(partner.api))).body.data.outcome).toBe('skipped')
    expect((await find(id)).name).toBe(changes.name)
  })

  it('saves nothing that others have changed meanwhile, and shows both', async () => {
    const { id } = await openWebhook()
    const { text } = await dashboard.get(editAt(id))
    const rules = { ...SHOP_RULES, take_if: null, changed_at: 'updated' }
    await admin.put(`${WEBHOOKS}/${id}/`, { rules })
    const mine = { take_if: '@.paid == true', name: unique('Mine') }
    const refused = await dashboard.post(editAt(id), filledIn(text, 'webhook', mine))
    expect(refused.status).toBe(412)
    expect(wordsOf(refused)).toContain('Others have changed this since you opened it')
    expect(wordsOf(refused)).toContain('take if — @.paid == true')
    expect(wordsOf(refused)).toContain('The form now has what others have saved in: changed at')
    expect(shownIn(refused.text, 'changed_at')).toBe('updated')
    const again = await dashboard.post(editAt(id), filledIn(refused.text, 'webhook', {}))
    expect(again.status).toBe(303)
    expect((await find(id)).rules).toMatchObject({
      take_if: '@.paid == true',
      changed_at: 'updated',
    })
  })

  it('does not say that a name is saved if others have only paused the webhook', async () => {
    const { id } = await openWebhook()
    const { text } = await dashboard.get(editAt(id))
    await admin.put(`${WEBHOOKS}/${id}/`, { pause: { until: null, note: null } })
    const name = unique('Mine')
    const refused = await dashboard.post(editAt(id), filledIn(text, 'webhook', { name }))
    expect(refused.status).toBe(412)
    expect(wordsOf(refused)).not.toContain('What you sent is saved already.')
    expect(wordsOf(refused)).toContain('changed pause')
    const again = await dashboard.post(editAt(id), filledIn(refused.text, 'webhook', {}))
    expect([again.status, (await find(id)).name]).toEqual([303, name])
  })

  it('only renames for a session that may not grant its resource', async () => {
    const { id } = await openWebhook()
    const limited = await openDashboard(['settings.*'])
    const opened = await limited.get(editAt(id))
    expect(wordsOf(opened)).toContain('You can only rename, pause or revoke it.')
    const name = unique('Renamed')
    const renamed = await limited.post(editAt(id), { name, version: versionIn(opened) })
    expect(renamed.status).toBe(303)
    expect((await find(id)).name).toBe(name)
    const whole = await limited.post(editAt(id), {
      ...(await newShop()),
      version: versionIn(await limited.get(editAt(id))),
    })
    expect(whole.status).toBe(403)
  })

  it('is refused for a session that reads only', async () => {
    const { id } = await openWebhook()
    const reader = await openDashboard(['settings.keys.read'])
    expect((await reader.get(editAt(id))).status).toBe(403)
  })

  it('is in the audit log and in the history, as a change by the dashboard', async () => {
    const { id } = await openWebhook()
    const { value } = await createKey(['settings.*', 'integrations.*'])
    const mine = await openDashboard([], { key: value })
    const { text } = await mine.get(editAt(id))
    const answer = await mine.post(editAt(id), filledIn(text, 'webhook', { changed_at: '' }))
    const request_id = answer.headers.get('X-Request-Id')
    const { data } = (await admin.get(`/api/settings/v1/history/?record_id=${id}&limit=1`)).body
    expect(data[0]).toMatchObject({ request_id, source: 'dashboard', fields: ['rules'] })
    const logged = await admin.get(`/api/settings/v1/audit-log/?request_id=${request_id}`)
    expect(logged.body.data[0]).toMatchObject({ path: editAt(id), method: 'POST', status: 200 })
  })
})

/** A public key for RS256, as a JWK. */
async function rsaKey() {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048 }
  const publicExponent = new Uint8Array([1, 0, 1])
  const made = await crypto.subtle.generateKey({ ...algorithm, publicExponent }, true, [
    'sign',
    'verify',
  ])
  return await crypto.subtle.exportKey('jwk', (made as CryptoKeyPair).publicKey)
}
