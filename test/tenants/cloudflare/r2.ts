import * as z from 'zod'
import type { Account, Bucket } from './account.ts'
import {
  type Call,
  checked,
  type Endpoint,
  endpoint,
  jsonOf,
  Misunderstood,
  parsed,
  Refusal,
  success,
} from './call.ts'
import type { Runtime } from './runtime.ts'

const LOCATIONS = ['weur', 'eeur', 'apac', 'oc', 'wnam', 'enam'] as const
const JURISDICTIONS = ['eu', 'fedramp', 'us']

const Creation = z.strictObject({
  name: z.string().regex(/^[a-z0-9](?:[a-z0-9-]{1,61})[a-z0-9]$/),
  locationHint: z.enum(LOCATIONS).optional(),
})
const Keys = z.array(z.string()).min(1).max(1000)

const BUCKETS = '/accounts/:account/r2/buckets'
const OBJECTS = `${BUCKETS}/:bucket/objects`

/** Buckets, made and looked up, and the objects in them, listed, stored, read and deleted. */
export function r2Endpoints(account: Account, runtime: Runtime): Endpoint[] {
  return [
    endpoint('r2.create', 'POST', BUCKETS, (call) => {
      // Wrangler does not say that this is JSON.
      const { name, locationHint } = checked(parsed(call.body.toString('utf8')), Creation)
      return success(
        described(createBucket(account, runtime, name, jurisdictionOf(call), locationHint)),
      )
    }),
    {
      // A deployment looks here for a bucket that is not there yet.
      kinds: ['r2.buckets'],
      method: 'GET',
      path: BUCKETS,
      handle: () => success({ buckets: [...account.buckets.values()].map(described) }),
    },
    endpoint('r2.get', 'GET', `${BUCKETS}/:bucket`, (call) =>
      success(described(bucketOf(account, call))),
    ),
    endpoint('r2.list', 'GET', OBJECTS, async (call) => {
      const { id } = bucketOf(account, call)
      const { prefix = '', per_page = '20', cursor } = Object.fromEntries(call.query)
      const limit = Number(per_page)
      if (!(limit >= 1 && limit <= 1000)) throw new Misunderstood(`per_page ${per_page}`)
      const page = await runtime.objects(id, { prefix, limit, ...(cursor && { cursor }) })
      const info = { per_page: limit, is_truncated: page.cursor !== null }
      return success(page.objects, { ...info, ...(page.cursor && { cursor: page.cursor }) })
    }),
    endpoint('r2.object.put', 'PUT', `${OBJECTS}/:key(.+)`, async (call) => {
      const { id } = bucketOf(account, call)
      const { key = '' } = call.params
      await runtime.putObject(id, key, call.body.toString('base64'))
      return success({ key, size: String(call.body.length) })
    }),
    endpoint('r2.object.get', 'GET', `${OBJECTS}/:key(.+)`, async (call) => {
      const { id } = bucketOf(account, call)
      const base64 = await runtime.getObject(id, call.params.key ?? '')
      if (base64 === null) throw new Refusal(404, 10007, 'The specified key does not exist.')
      return new Response(Buffer.from(base64, 'base64'))
    }),
    endpoint('r2.delete', 'DELETE', OBJECTS, async (call) => {
      const { id } = bucketOf(account, call)
      const keys = jsonOf(call, Keys)
      const missing = await runtime.deleteObjects(id, keys)
      if (missing === 0) return success(keys.map((key) => ({ key })))
      const error = { code: 10007, message: 'The specified key does not exist.' }
      const errors = Array.from({ length: missing }, () => error)
      return Response.json({ success: false, errors, messages: [], result: null })
    }),
  ]
}

/** Throws a Refusal when the name is taken. */
export function createBucket(
  account: Account,
  runtime: Runtime,
  name: string,
  jurisdiction: string | null = null,
  location: string | null = null,
): Bucket {
  if (account.buckets.has(name)) {
    const message = 'The bucket you tried to create already exists, and you own it.'
    throw new Refusal(409, 10004, message)
  }
  const id = runtime.spareBuckets.pop()
  if (!id) throw new Error('No spare bucket is left: see SPARE_BUCKETS in runtime.ts.')
  const bucket = { name, id, jurisdiction, location, created_at: new Date().toISOString() }
  account.buckets.set(name, bucket)
  return bucket
}

/** A bucket of a jurisdiction is there only for a call that names it. */
function bucketOf(account: Account, call: Call): Bucket {
  const bucket = account.buckets.get(call.params.bucket ?? '')
  if (bucket && bucket.jurisdiction === jurisdictionOf(call)) return bucket
  throw new Refusal(404, 10006, 'The specified bucket does not exist.')
}

function jurisdictionOf({ headers }: Call): string | null {
  const jurisdiction = headers.get('cf-r2-jurisdiction')
  if (jurisdiction === null || JURISDICTIONS.includes(jurisdiction)) return jurisdiction
  throw new Misunderstood(`the jurisdiction ${jurisdiction}`)
}

function described({ name, jurisdiction, location, created_at }: Bucket) {
  return {
    name,
    creation_date: created_at,
    jurisdiction: jurisdiction ?? 'default',
    location: (location ?? 'weur').toUpperCase(),
    storage_class: 'Standard',
  }
}
