import { LRUCache } from 'lru-cache'

/** The first of the Worker's secrets for webhooks. */
export const WEBHOOK_SECRET_KEY = 'WEBHOOK_SECRET_KEY'
const NUMBERED = /^WEBHOOK_SECRET_KEY_([2-9]|[1-9]\d{1,3})$/
const SECRET_LENGTH_MIN = 32
// An isolate has one environment. Tests have several.
const DERIVED_MAX = 32
const KEY_BYTES = 32
const ID_BYTES = 4
const PURPOSE = new TextEncoder().encode('crossdock: secrets of webhooks, 1')

/** A secret `WEBHOOK_SECRET_KEY` of the Worker: its number, and its text. */
export interface WebhookKey {
  number: number
  secret: string
}

/** The newest first. */
export type WebhookKeys = readonly WebhookKey[]

/** A key as it encrypts. `id` is eight hex digits that say nothing about it. */
export interface DerivedKey {
  id: string
  key: CryptoKey
}

const known = new WeakMap<object, WebhookKeys>()
const derived = new LRUCache<string, DerivedKey>({ max: DERIVED_MAX })

/**
 * Reads `WEBHOOK_SECRET_KEY` and its successors, `WEBHOOK_SECRET_KEY_2` and so on, from the Worker's environment. Nobody
 * can read a secret of a Worker back, so a rotation adds a secret with the next number, and the older ones decrypt what they
 * have encrypted until they are deleted. Secrets of less than 32 characters
 * do not count. `env` must not change afterwards.
 */
export function webhookKeys(env: object): WebhookKeys {
  return known.getOrInsertComputed(env, keysIn)
}

function keysIn(env: object): WebhookKeys {
  const numbered = Object.entries(env).flatMap(([name, value]: [string, unknown]) => {
    const number = webhookKeyNumber(name)
    const counts = typeof value === 'string' && value.length >= SECRET_LENGTH_MIN
    return number !== null && counts ? [{ number, secret: value }] : []
  })
  return numbered.toSorted((a, b) => b.number - a.number)
}

/** 1 for `WEBHOOK_SECRET_KEY`, 2 for `WEBHOOK_SECRET_KEY_2`; null for any other name. */
export function webhookKeyNumber(name: string): number | null {
  if (name === WEBHOOK_SECRET_KEY) return 1
  const [, number] = NUMBERED.exec(name) ?? []
  return number === undefined ? null : Number(number)
}

/** By HKDF (RFC 5869): 32 bytes are the key, four more are its id. */
export async function derive({ secret }: WebhookKey): Promise<DerivedKey> {
  // Values, not promises: one that another request waits for could end with the request that began it.
  const found = derived.get(secret)
  if (found) return found
  const encoded = new TextEncoder().encode(secret)
  const source = await crypto.subtle.importKey('raw', encoded, 'HKDF', false, ['deriveBits'])
  const salt = new Uint8Array(0)
  const how = { name: 'HKDF', hash: 'SHA-256', salt, info: PURPOSE }
  const bits = await crypto.subtle.deriveBits(how, source, (KEY_BYTES + ID_BYTES) * 8)
  const raw = bits.slice(0, KEY_BYTES)
  const key = await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt'])
  const made = { id: Buffer.from(bits.slice(KEY_BYTES)).toString('hex'), key }
  derived.set(secret, made)
  return made
}
