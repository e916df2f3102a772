import { type DerivedKey, derive, type WebhookKeys } from './secret-keys.ts'

// `1.<number of the key>.<its id>.<IV, ciphertext and tag as base64url>`. The number is for the operator: a key of another
// environment may have the same.
const SEALED = /^1\.[1-9]\d{0,3}\.([0-9a-f]{8})\.([\w-]+)$/
const ALGORITHM = 'AES-GCM'
const IV_BYTES = 12

/** Whose secret it is. What is sealed for one place does not open at another. */
export interface SecretPlace {
  tenant: string
  webhook_id: string
}

/** Whether secrets can be stored: the environment has a `WEBHOOK_SECRET_KEY`. */
export function canSeal(keys: WebhookKeys): boolean {
  return keys.length > 0
}

/**
 * Encrypts a secret that a tenant has entered, with the newest key (AES-256-GCM). Two results for the same secret differ.
 * Their length tells the length of the secret. Ask `canSeal` first: without a key this throws. The secret must be
 * well-formed Unicode.
 */
export async function sealSecret(
  keys: WebhookKeys,
  place: SecretPlace,
  secret: string,
): Promise<string> {
  const [newest] = keys
  if (newest === undefined) throw new TypeError('There is no key to seal a secret with.')
  const { id, key } = await derive(newest)
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const how = { name: ALGORITHM, iv, additionalData: boundTo(place) }
  const sealed = await crypto.subtle.encrypt(how, key, new TextEncoder().encode(secret))
  return `1.${newest.number}.${id}.${Buffer.concat([iv, Buffer.from(sealed)]).toString('base64url')}`
}

/**
 * Decrypts what `sealSecret` has made. Null if it cannot, and nothing says why: its key is gone, it was sealed for another
 * place, or it is damaged. Then the secret has to be entered again.
 */
export async function openSecret(
  keys: WebhookKeys,
  place: SecretPlace,
  sealed: string,
): Promise<string | null> {
  const [, id, encoded = ''] = SEALED.exec(sealed) ?? []
  if (id === undefined) return null
  const bytes = Buffer.from(encoded, 'base64url')
  for (const secret of keys) {
    const key = await derive(secret)
    const opened = key.id === id ? await decrypted(key, place, bytes) : null
    if (opened !== null) return opened
  }
  return null
}

/** The same secret, sealed with the newest key; as it is if that has sealed it, or if it does not open. */
export async function sealAnew(
  keys: WebhookKeys,
  place: SecretPlace,
  sealed: string,
): Promise<string> {
  const [newest] = keys
  const [, id] = SEALED.exec(sealed) ?? []
  if (newest === undefined || id === (await derive(newest)).id) return sealed
  const secret = await openSecret(keys, place, sealed)
  return secret === null ? sealed : await sealSecret(keys, place, secret)
}

async function decrypted(
  { key }: DerivedKey,
  place: SecretPlace,
  bytes: Uint8Array,
): Promise<string | null> {
  const iv = bytes.subarray(0, IV_BYTES)
  const how = { name: ALGORITHM, iv, additionalData: boundTo(place) }
  try {
    const opened = await crypto.subtle.decrypt(how, key, bytes.subarray(IV_BYTES))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(opened)
  } catch {
    return null
  }
}

/** As JSON, so that no two places have the same bytes. */
function boundTo({ tenant, webhook_id }: SecretPlace): Uint8Array {
  return new TextEncoder().encode(JSON.stringify([tenant, webhook_id]))
}
