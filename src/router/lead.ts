import { errorBody, STATUS } from '../engine/answers/error-body.ts'
import {
  ApiError,
  errorName,
  httpsRequired,
  keyInvalid,
  keyMissing,
  noTenant,
  unavailable,
} from '../engine/errors.ts'
import { NO_TENANT_HEADER, tenantOfHostname } from '../engine/identity/host.ts'
import { HSTS, isPlainHttp, overHttps } from '../engine/identity/https.ts'
import { isTenant } from '../engine/identity/key.ts'
import { loggedPath } from '../engine/identity/logged-path.ts'
import { networkOf } from '../engine/limits/network.ts'
import { groupNumbered, type RouterBindings, type WorkerGroup } from './bindings.ts'
import { groupNumber, otherNumberOf, type Visit } from './groups.ts'

const FIRST = '1'
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])
const SILENT = 'The Worker of this tenant did not answer. Send the request again.'
const SILENT_WRITE =
  'The Worker of this tenant did not answer: the write may or may not have been applied. Sending it again creates no duplicate order, product or location.'

/** Passes the request, as it is, to the group of the tenant in its host, and gives that group's answer as it is. */
export async function lead(request: Request, env: RouterBindings): Promise<Response> {
  const url = new URL(request.url)
  const visit = { request_id: crypto.randomUUID(), network: networkOf(request.headers) }
  const isPlain = isPlainHttp(url)
  if (isPlain && !url.pathname.startsWith('/api/')) return Response.redirect(overHttps(url), 308)
  try {
    return await led(request, url, env, visit)
  } catch (error) {
    if (error instanceof ApiError) {
      // The group of a tenant says so itself, and counts the key.
      return refuse(request, url, isPlain ? httpsRequired() : error, visit)
    }
    throw error
  }
}

async function led(
  request: Request,
  { hostname, pathname }: URL,
  env: RouterBindings,
  visit: Visit,
): Promise<Response> {
  const tenant = tenantOfHostname(hostname, env.BASE_DOMAIN)
  if (tenant === null) return await passOther(request, env, visit)
  const number = tenant && isTenant(tenant) ? await groupNumber(env, tenant, visit) : null
  const group = number === null ? null : groupNumbered(env, number)
  if (!tenant || number === null || !group) throw strangerTo(request, pathname)
  const answer = await pass(request, group, visit)
  if (!answer.headers.has(NO_TENANT_HEADER)) return answer
  const other = await otherNumberOf(env, tenant, number, visit)
  const elsewhere = other === null ? null : groupNumbered(env, other)
  if (!elsewhere) return answer
  await answer.body?.cancel()
  // The first group has begun to take the body, and a body is taken once.
  if (request.body) {
    throw unavailable(
      'This tenant has moved. Nothing was changed: send the request again.',
      'TENANT_NOT_ROUTED',
    )
  }
  return await pass(request, elsewhere, visit)
}

/** Of a host that names no tenant, such as that of a monitor: the first group answers it as it did without a router. */
async function passOther(request: Request, env: RouterBindings, visit: Visit): Promise<Response> {
  const first = groupNumbered(env, FIRST)
  if (!first) throw noTenant()
  return await pass(request, first, visit)
}

async function pass(
  request: Request,
  group: WorkerGroup,
  { request_id }: Visit,
): Promise<Response> {
  try {
    return await group.fetch(request)
  } catch (error) {
    const name = errorName(error)
    // A client that leaves ends the call too.
    if (!request.signal.aborted) {
      console.error(JSON.stringify({ event: 'group_failed', request_id, name }))
    }
    throw SAFE.has(request.method)
      ? unavailable(SILENT, 'TENANT_NOT_ROUTED')
      : unavailable(SILENT_WRITE, 'WRITE_UNKNOWN')
  }
}

/** As a Worker without the tenant answers: whoever calls the API learns of keys only. */
function strangerTo({ headers }: Request, pathname: string): ApiError {
  if (!pathname.startsWith('/api/')) return noTenant()
  return headers.get('X-API-Key')?.trim() ? keyInvalid() : keyMissing()
}

/** The error as the API sends and logs it. */
function refuse(
  { method }: Request,
  url: URL,
  { code, message, details }: ApiError,
  { request_id }: Visit,
): Response {
  const refusal = { event: 'refused', request_id, method, path: loggedPath(url), error_code: code }
  console.warn(JSON.stringify(refusal))
  const { retryAfter, reason } = details
  return new Response(errorBody({ code, message, ...(reason && { reason }) }, request_id), {
    status: STATUS[code],
    headers: {
      'Content-Type': 'application/json',
      'X-Request-Id': request_id,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...(url.protocol === 'https:' && { [HSTS.name]: HSTS.value }),
      ...(retryAfter && { 'Retry-After': String(retryAfter) }),
    },
  })
}
