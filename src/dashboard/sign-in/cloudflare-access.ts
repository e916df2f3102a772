import type { Context } from 'hono'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import * as z from 'zod'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError, unavailable } from '../../engine/errors.ts'
import { tenantOfHost } from '../../engine/exchange/host.ts'
import { variableNameOf } from '../../engine/identity/binding.ts'

// https://developers.cloudflare.com/cloudflare-one/identity/authorization-cookie/validating-json/

const HEADER = 'Cf-Access-Jwt-Assertion'
const KEYS_MS_MAX = 3000
// Access signs with RS256 alone.
const ALGORITHMS = ['RS256']

const Claims = z.object({ email: z.email().toLowerCase() })

/** Who stands before the door, as Cloudflare Access says. */
export interface Visitor {
  tenant: string
  /** In lower case. */
  email: string
}

/** Where tokens come from, and for whom they must be. */
interface Application {
  tenant: string
  issuer: string
  audience: string
}

type KeySet = ReturnType<typeof createRemoteJWKSet>

// The keys of the team that this Worker is set up with. They rotate: an unknown one is asked for again.
let known: { issuer: string; keys: KeySet } | null = null

/**
 * The visitor that Access has let through to this tenant's host; null without Access, and unless a page is opened. 401 KEY_INVALID for a token that is
 * expired, not signed by the team's keys, or for another audience than the tenant's; 503 UNAVAILABLE if the team's keys
 * cannot be had.
 */
export async function visitorOf(c: Context<AppEnv>): Promise<Visitor | null> {
  const application = applicationOf(c)
  const token = c.req.header(HEADER)
  if (!application || token === undefined || !opensPage(c)) return null
  const { tenant, issuer, audience } = application
  const options = { issuer, audience, algorithms: ALGORITHMS, requiredClaims: ['exp', 'email'] }
  const { payload } = await jwtVerify(token, keysOf(issuer), options).catch((error) => {
    throw refusalOf(error)
  })
  const claims = Claims.safeParse(payload).data
  if (!claims) throw refused('it names no e-mail address')
  return { tenant, email: claims.email }
}

/** A picture or a frame on another site that leads here must not begin sessions, which would end older ones. */
function opensPage(c: Context<AppEnv>): boolean {
  const mode = c.req.header('Sec-Fetch-Mode') ?? 'navigate'
  const into = c.req.header('Sec-Fetch-Dest') ?? 'document'
  return mode === 'navigate' && into === 'document'
}

/** Null where Access is not set up for the tenant that the host names. */
function applicationOf(c: Context<AppEnv>): Application | null {
  const tenant = tenantOfHost(c)
  const issuer = c.env.ACCESS_ISSUER
  if (tenant === null || !issuer) return null
  const audience: unknown = Reflect.get(c.env, variableNameOf('ACCESS_AUD', tenant))
  return typeof audience === 'string' && audience !== '' ? { tenant, issuer, audience } : null
}

function keysOf(issuer: string): KeySet {
  if (known?.issuer !== issuer) {
    const url = new URL('/cdn-cgi/access/certs', issuer)
    known = { issuer, keys: createRemoteJWKSet(url, { timeoutDuration: KEYS_MS_MAX }) }
  }
  return known.keys
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof errors.JWTExpired) return refused('it has expired')
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'aud') return refused('it is for another application')
    return refused(error.claim === 'iss' ? 'another team has issued it' : 'a claim is missing')
  }
  if (
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWTInvalid
  )
    return refused('none of the keys of the team has signed it')
  return unavailable(
    'The keys of Cloudflare Access cannot be read just now. Try again.',
    'STORE_UNREACHABLE',
  )
}

function refused(why: string): ApiError {
  const message = `The token of Cloudflare Access is refused: ${why}. Open this page again through Access.`
  return new ApiError('KEY_INVALID', message)
}
