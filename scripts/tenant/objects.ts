import * as z from 'zod'
import { Failure } from '../failure.ts'
import { jurisdictionOf, NO_BUCKET } from './bucket.ts'
import { callCloudflare, download, reasonOf, upload } from './cloudflare-api.ts'
import type { Bucket, Environment } from './environment.ts'
import { withCleanup } from './stop.ts'

// Wrangler can neither list objects nor delete those of a prefix.

const LOCAL_STATE = '.wrangler/state/v3'
const PAGE_MAX = 1000

const Listed = z.array(z.object({ key: z.string(), size: z.number() }))

export interface Page {
  objects: { key: string; size: number }[]
  /** Of the next page; null on the last one. */
  cursor: string | null
}

/** The objects of a bucket. */
export interface Objects {
  /** At most 1,000 of the prefix. */
  list: (prefix: string, cursor: string | null) => Promise<Page>
  /** At most 1,000. One that is not there is no error. */
  remove: (keys: string[]) => Promise<void>
  /** Null if there is no such object. */
  get: (key: string) => Promise<Uint8Array<ArrayBuffer> | null>
  put: (key: string, bytes: Uint8Array<ArrayBuffer>) => Promise<void>
}

/** Calls `use` with the objects of the environment's bucket; null if it has none. */
export async function withObjects<T>(
  environment: Environment,
  use: (objects: Objects) => Promise<T>,
): Promise<T | null> {
  const { bucket } = environment
  if (!bucket) return null
  return environment.name === null
    ? await withLocal(bucket, use)
    : await use(remoteObjects(environment, bucket))
}

function remoteObjects(environment: Environment, bucket: Bucket): Objects {
  const path = `/r2/buckets/${bucket.name}/objects`
  const headers = jurisdictionOf(bucket)
  const pathOf = (key: string) => `${path}/${key.split('/').map(encodeURIComponent).join('/')}`
  return {
    get: (key) => download(environment, { path: pathOf(key), headers }),
    put: (key, bytes) => upload(environment, { path: pathOf(key), headers, bytes }),
    list: async (prefix, cursor) => {
      const asked = { prefix, per_page: String(PAGE_MAX), ...(cursor !== null && { cursor }) }
      const where = `${path}?${new URLSearchParams(asked)}`
      const answer = await callCloudflare(environment, { method: 'GET', path: where, headers })
      if (answer.errors.some(({ code }) => code === NO_BUCKET)) return { objects: [], cursor: null }
      if (!answer.success) throw refused(bucket, 'listed', reasonOf(answer))
      const { cursor: next, is_truncated } = answer.result_info ?? {}
      return { objects: Listed.parse(answer.result), cursor: (is_truncated && next) || null }
    },
    remove: async (keys) => {
      const answer = await callCloudflare(environment, {
        method: 'DELETE',
        path,
        headers,
        body: keys,
      })
      const isPartly = answer.errors.every(({ code }) => code === NO_OBJECT)
      if (!answer.success && !isPartly) throw refused(bucket, 'deleted', reasonOf(answer))
    },
  }
}

/** Cloudflare's code for a key that is not there; all others of the call are deleted. */
const NO_OBJECT = 10007

function refused({ name }: Bucket, what: string, reason: string): Failure {
  return new Failure(`The documents in ${name} cannot be ${what}: ${reason}`)
}

/** As wrangler keeps them on this machine. */
async function withLocal<T>({ name }: Bucket, use: (objects: Objects) => Promise<T>): Promise<T> {
  const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = await import('miniflare')
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: 'export default {}',
      compatibilityDate: '2026-11-01',
      cf: false,
      log: new Log(LogLevel.NONE),
      r2Buckets: [name],
      resourcePersistencePath: LOCAL_STATE,
    }),
  )
  return await withCleanup(
    () => miniflare.dispose(),
    async () => {
      const bucket = await miniflare.getR2Bucket(name)
      return await use({
        list: async (prefix, cursor) => {
          const page = await bucket.list({ prefix, ...(cursor !== null && { cursor }) })
          const objects = page.objects.map(({ key, size }) => ({ key, size }))
          return { objects, cursor: page.truncated ? page.cursor : null }
        },
        remove: (keys) => bucket.delete(keys),
        get: async (key) => {
          const object = await bucket.get(key)
          return object && new Uint8Array(await object.arrayBuffer())
        },
        put: async (key, bytes) => {
          await bucket.put(key, bytes)
        },
      })
    },
  ).catch((error) => {
    if (error instanceof Failure) throw error
    throw new Failure(`The documents on this machine cannot be reached: ${error.message}`)
  })
}
