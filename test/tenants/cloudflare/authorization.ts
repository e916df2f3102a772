import { ACCOUNT, TOKEN, ZONE } from './account.ts'
import { type Call, Refusal } from './call.ts'

/** Throws what the API answers to a call without a token, with a wrong one, or to a foreign account. */
export function authorize(call: Call, path: string, signedOut: boolean): void {
  const header = call.headers.get('authorization')
  if (header === null) throw new Refusal(400, 9106, 'Authentication failed (status: 400)')
  if (!/^Bearer [\w-]{40}$/.test(header)) throw new Refusal(400, 6003, 'Invalid request headers')
  if (header !== `Bearer ${TOKEN}` || signedOut) throw refusedToken(path)
  const { account = ACCOUNT.id, zone = ZONE.id } = call.params
  if (account !== ACCOUNT.id || zone !== ZONE.id) throw foreign(path)
}

function refusedToken(path: string): Refusal {
  if (path === '/user/tokens/verify') return new Refusal(401, 1000, 'Invalid API Token')
  const own = ['/user', '/accounts', '/memberships'].includes(path)
  if (own) return new Refusal(403, 9109, 'Invalid access token')
  return new Refusal(401, 10000, 'Authentication error')
}

function foreign(path: string): Refusal {
  if (!path.includes('/d1/')) return new Refusal(403, 10000, 'Authentication error')
  const message = 'The given account is not valid or is not authorized to access this service'
  return new Refusal(403, 7403, message)
}
