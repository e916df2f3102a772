import { Failure } from '../failure.ts'
import { callCloudflare, reasonOf } from './cloudflare-api.ts'
import { CONFIG } from './config-file.ts'
import type { Bucket, Environment } from './environment.ts'
import { runWrangler } from './wrangler.ts'

/** Cloudflare's codes. */
export const NO_BUCKET = 10006
const NOT_ENABLED = 10042

/**
 * Creates the bucket of the environment's documents before a deployment, which fails without it. An environment
 * without the block needs none: then no documents are kept.
 */
export async function ensureBucket(environment: Environment): Promise<void> {
  const { bucket } = environment
  if (environment.name === null || !bucket || (await exists(environment, bucket))) return
  const where = bucket.jurisdiction ? ['--jurisdiction', bucket.jurisdiction] : []
  try {
    await runWrangler(['r2', 'bucket', 'create', bucket.name, ...where])
  } catch (error) {
    // If only the answer was lost, the bucket is there.
    if (!(await exists(environment, bucket))) throw error
  }
}

async function exists(environment: Environment, bucket: Bucket): Promise<boolean> {
  const path = `/r2/buckets/${bucket.name}`
  const answer = await callCloudflare(environment, {
    method: 'GET',
    path,
    headers: jurisdictionOf(bucket),
  })
  if (answer.success) return true
  const codes = answer.errors.map(({ code }) => code)
  if (codes.includes(NO_BUCKET)) return false
  const advice = codes.includes(NOT_ENABLED)
    ? ` Or remove [[env.${environment.name}.r2_buckets]] from ${CONFIG}: then no documents are kept.`
    : ''
  throw new Failure(`The bucket ${bucket.name} cannot be looked up: ${reasonOf(answer)}${advice}`)
}

export function jurisdictionOf({ jurisdiction }: Bucket): Record<string, string> {
  return jurisdiction ? { 'cf-r2-jurisdiction': jurisdiction } : {}
}
