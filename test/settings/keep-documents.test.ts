import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it } from 'vitest'
import { inDeepPass, sample } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { WORKSPACE } from '../fixtures/settings.ts'
import { execute } from '../fixtures/sql.ts'
import { type Answer, client, createKey, type Json, unique } from '../fixtures/tenant.ts'
import { findPartner, makePartner, PARTNERS, rowOf } from './partners.ts'

const POLICY = { of: 'errors', days: 30, redact: ['customer.email', 'lines[].note'] }
const NO_BUCKET = { bindings: { ...env, DOCUMENTS: undefined } }

interface Place {
  name: string
  /** Changes the setting there. */
  put: (keep_documents: unknown, more?: object) => Promise<Answer>
  get: () => Promise<Json>
}

/** The workspace, and a new partner. */
const PLACES: [string, () => Promise<Place>][] = [
  [
    'PUT /workspace/',
    async () => ({
      name: 'workspace',
      put: (keep_documents, more) => admin.put(WORKSPACE, { keep_documents }, more),
      get: async () => (await admin.get(WORKSPACE)).body.data,
    }),
  ],
  [
    'PUT /partners/{id}/',
    async () => {
      const { id } = await makePartner()
      return {
        name: id,
        put: (keep_documents, more) => admin.put(`${PARTNERS}${id}/`, { keep_documents }, more),
        get: () => findPartner(id),
      }
    },
  ],
]

afterEach(async () => {
  await execute('update workspace set keep_documents = null')
})

describe.each(PLACES)('%s', (_, open) => {
  it('sets what is kept, and GET shows it', async () => {
    const place = await open()
    const { status, body } = await place.put(POLICY)
    expect([status, body.warnings, body.data.keep_documents]).toEqual([200, undefined, POLICY])
    expect(await place.get()).toEqual(body.data)
  })

  it('replaces it as a whole, and takes no path as none', async () => {
    const place = await open()
    await place.put(POLICY)
    const { body } = await place.put({ of: 'all', days: 1 })
    expect(body.data.keep_documents).toEqual({ of: 'all', days: 1, redact: [] })
  })

  it('is switched off by null, and null twice', async () => {
    const place = await open()
    await place.put(POLICY)
    for (const _ of [1, 2]) {
      expect((await place.put(null)).body.data.keep_documents).toBeNull()
    }
    expect((await place.get()).keep_documents).toBeNull()
  })

  it('leaves it alone when another field changes', async () => {
    const place = await open()
    await place.put(POLICY)
    const at = place.name === 'workspace' ? WORKSPACE : `${PARTNERS}${place.name}/`
    const { body } = await admin.put(at, { name: unique('renamed') })
    expect(body.data.keep_documents).toEqual(POLICY)
  })

  it('names a member that it does not know', async () => {
    const { body } = await (await open()).put({ ...POLICY, forever: true })
    expect(body.warnings.map(({ field }: Json) => field)).toEqual(['keep_documents.forever'])
  })

  it.each(
    sample(
      [
        ['', 'errors', 'Must be an object, not a string.'],
        ['.of', { ...POLICY, of: 'some' }, 'Must be one of: errors, all.'],
        ['.of', { days: 1 }, 'Must be one of: errors, all.'],
        ['.days', { of: 'all' }, 'This field is required.'],
        ['.days', { ...POLICY, days: 0 }, 'Must be at least 1.'],
        ['.days', { ...POLICY, days: 91 }, 'Must be at most 90.'],
        ['.days', { ...POLICY, days: 1.5 }, 'Must be an integer, not a fraction.'],
        ['.days', { ...POLICY, days: '30' }, 'Must be an integer, not a string.'],
        ['.redact', { ...POLICY, redact: 'email' }, 'Must be an array, not a string.'],
        [
          '.redact',
          { ...POLICY, redact: Array.from({ length: 101 }, () => 'a') },
          'Must have at most 100 entries.',
        ],
        [
          '.redact',
          { ...POLICY, redact: Array.from({ length: 40 }, () => 'a'.repeat(255)) },
          'Must be at most 8192 bytes as JSON.',
        ],
        ['.redact[1]', { ...POLICY, redact: ['a', 7] }, 'Must be a string, not a number.'],
        [
          '.redact[1]',
          { ...POLICY, redact: ['a', 'lines['] },
          `The path "lines[" is not a path from "[" on (write a.b, a[0], a[] or a['any key']).`,
        ],
        [
          '.redact[0]',
          { ...POLICY, redact: ['a[0].'] },
          `The path "a[0]." is not a path: a name is missing (write a.b, a[0], a[] or a['any key']).`,
        ],
        [
          '.redact[0]',
          { ...POLICY, redact: ["lines[?@.kind == 'gift'].note"] },
          `The path "lines[?@.kind == 'gift'].note" has a filter: write [] to redact every element.`,
        ],
        [
          '.redact[0]',
          { ...POLICY, redact: ['/customer/name'] },
          `The path "/customer/name" is a JSON pointer: write "customer.name". A field of this name is "['/customer/name']".`,
        ],
        [
          '.redact[0]',
          { ...POLICY, redact: ['$'] },
          'The path "$" must begin with a name, or with $[ for a document that is an array.',
        ],
        [
          '.redact[0]',
          { ...POLICY, redact: ['a'.repeat(257)] },
          'Must have at most 256 characters.',
        ],
        ['.redact[0]', { ...POLICY, redact: ['a\ud800'] }, 'Must be well-formed Unicode.'],
      ],
      16,
    ),
  )(
    'refuses what is wrong with keep_documents%s and changes nothing: %j',
    async (at, value, message) => {
      const place = await open()
      await place.put(POLICY)
      const before = await place.get()
      const answer = await place.put(value)
      expectInvalid(answer, `keep_documents${at}`)
      expect(Object.values(answer.body.error.fields)).toEqual([[message]])
      expect(await place.get()).toEqual(before)
    },
  )

  it.each([
    'a',
    'customer.email',
    "lines[0]['any key']",
    'lines[-1].note',
    'lines[*].parts[].notes[]',
    '$.customer',
    '$[].customer.name',
    '$[0]',
    'kunde.straße',
    '電話',
  ])('takes the path %s as it is', async (path) => {
    const { body } = await (await open()).put({ ...POLICY, redact: [path] })
    expect(body.data.keep_documents.redact).toEqual([path])
  })

  it('takes a hundred paths', async () => {
    const redact = Array.from({ length: 100 }, (_, n) => `lines[${n}].customer.phone_number`)
    const { body } = await (await open()).put({ ...POLICY, redact })
    expect(body.data.keep_documents.redact).toEqual(redact)
  })

  it('is refused where there is no bucket, and says who can help', async () => {
    const place = await open()
    const answer = await place.put(POLICY, NO_BUCKET)
    expectInvalid(answer, 'keep_documents')
    expect(answer.body.error.fields.keep_documents[0]).toContain('no binding DOCUMENTS')
    expect((await place.get()).keep_documents).toBeNull()
  })

  it('can be switched off where there is no bucket any more', async () => {
    const place = await open()
    await place.put(POLICY)
    expect((await place.put(undefined, NO_BUCKET)).body.data.keep_documents).toEqual(POLICY)
    expect((await place.put(null, NO_BUCKET)).body.data.keep_documents).toBeNull()
  })
})

describe('POST /partners/', () => {
  it('takes keep_documents', async () => {
    const partner = await makePartner({ keep_documents: POLICY })
    expect(partner.keep_documents).toEqual(POLICY)
    expect(JSON.parse(String((await rowOf(partner.id))?.keep_documents))).toEqual(POLICY)
    const { body } = await admin.get(`${PARTNERS}?limit=1`)
    expect(body.data).toEqual([partner])
  })

  it('keeps nothing without it, or with null', async () => {
    for (const fields of [{}, { keep_documents: null }]) {
      const { id, keep_documents } = await makePartner(fields)
      expect(keep_documents).toBeNull()
      expect((await rowOf(id))?.keep_documents).toBeNull()
    }
  })

  it('makes no partner if documents are to be kept and there is no bucket', async () => {
    const name = unique('partner')
    const answer = await admin.post(PARTNERS, { name, keep_documents: POLICY }, NO_BUCKET)
    expectInvalid(answer, 'keep_documents')
    expect((await admin.post(PARTNERS, { name }, NO_BUCKET)).status).toBe(201)
  })
})

/** The policy in what KV holds of the key after its next request: what that request went by. */
async function policyOf({ value, hash }: { value: string; hash: string }): Promise<unknown> {
  expect((await client(value).get('/locations/')).status).toBe(200)
  const stored = await env.KEYS.get<Json>(`caller:12:${hash}`, 'json')
  return stored.keep_documents
}

async function linkedKey(partner: string | null) {
  const key = await createKey()
  await execute('update api_keys set partner_id = ? where id = ?', partner, key.id)
  return key
}

describe('the policy that holds for a key', () => {
  it("is its partner's, and not the workspace's", async () => {
    const [ALL, ERRORS] = [{ ...POLICY, of: 'all' }, POLICY]
    await admin.put(WORKSPACE, { keep_documents: ALL })
    const keeping = await makePartner({ keep_documents: ERRORS })
    const silent = await makePartner({ keep_documents: null })
    expect(await policyOf(await linkedKey(keeping.id))).toEqual(ERRORS)
    expect(await policyOf(await linkedKey(silent.id))).toBeNull()
    expect(await policyOf(await linkedKey(null))).toEqual(ALL)
  })

  it('is none for a key whose partner was deleted', async () => {
    await admin.put(WORKSPACE, { keep_documents: POLICY })
    const { id } = await makePartner({ keep_documents: POLICY })
    const key = await linkedKey(id)
    await execute("update partners set deleted_at = 'now' where id = ?", id)
    expect(await policyOf(key)).toBeNull()
  })

  it.each([
    ['a partner', async () => (await makePartner()).id as string],
    ['none', async () => null],
  ])('changes with the next request of a key with %s', async (_, partner) => {
    const id = await partner()
    const key = await linkedKey(id)
    const at = id === null ? WORKSPACE : `${PARTNERS}${id}/`
    expect(await policyOf(key)).toBeNull()
    for (const keep_documents of [POLICY, { ...POLICY, days: 1 }, null]) {
      await admin.put(at, { keep_documents })
      expect(await policyOf(key)).toEqual(keep_documents)
    }
  })
})

inDeepPass(() => {
  describe('what an isolate remembers of callers', () => {
    /** Where the service found the caller. */
    const originOf = async (value: string) =>
      /key;desc="?(\w+)/.exec(
        (await client(value).get('/locations/')).headers.get('Server-Timing') ?? '',
      )?.[1]

    it('has no room for more policies than a few megabytes', async () => {
      const redact = Array.from({ length: 31 }, () => 'a'.repeat(255))
      const { id } = await openPartner()
      await admin.put(`${PARTNERS}${id}/`, { keep_documents: { ...POLICY, redact } })
      const [small, first] = [await createKey(), await linkedKey(id)]
      for (const { value } of [small, first]) expect(await originOf(value)).toBe('d1')
      expect(await originOf(first.value)).toBe('isolate')
      for (let n = 0; n < 110; n++) {
        await originOf((await linkedKey(id)).value)
        expect(await originOf(small.value)).toBe('isolate')
      }
      expect(await originOf(first.value)).toBe('kv')
    })
  })
})

describe('POST /partners/ while the workspace keeps documents', () => {
  const created = async (more: object, query = '') => {
    const { status, body } = await admin.post(`${PARTNERS}${query}`, { name: unique('p'), ...more })
    expect([200, 201]).toContain(status)
    return body.data
  }

  it('keeps the same of a new partner, and the dry run says so', async () => {
    await admin.put(WORKSPACE, { keep_documents: POLICY })
    const { keep_documents, id } = await created({})
    expect(keep_documents).toEqual(POLICY)
    expect(await findPartner(id)).toMatchObject({ keep_documents: POLICY })
    expect(await created({}, '?dry_run=true')).toMatchObject({ keep_documents: POLICY })
  })

  it('keeps what the body says, also if that is nothing', async () => {
    await admin.put(WORKSPACE, { keep_documents: POLICY })
    for (const query of ['', '?dry_run=true']) {
      expect(await created({ keep_documents: null }, query)).toMatchObject({ keep_documents: null })
      const own = { of: 'all', days: 2, redact: [] }
      expect(await created({ keep_documents: own }, query)).toMatchObject({ keep_documents: own })
    }
  })

  it('stays as it is when the workspace keeps something else', async () => {
    await admin.put(WORKSPACE, { keep_documents: POLICY })
    const { id } = await created({})
    await admin.put(WORKSPACE, { keep_documents: null })
    expect(await findPartner(id)).toMatchObject({ keep_documents: POLICY })
    expect(await created({})).toMatchObject({ keep_documents: null })
  })
})
