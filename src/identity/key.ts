import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_BYTES = 32
const SECRET_LENGTH = 43
const CHECKSUM_LENGTH = 6
const TENANT = '[a-z][a-z0-9]*(?:-[a-z0-9]+)*'
const TENANT_LENGTH_MAX = 40
const FORMAT = new RegExp(`^(xd_(${TENANT})_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$`)
const IN_TEXT = new RegExp(`xd_${TENANT}_[0-9A-Za-z]{49}`, 'g')
const KEY_LENGTH_MAX = 128

/** Lower case letters, digits and single hyphens, 40 at most: it goes into hosts and bindings. */
export function isTenant(slug: string): boolean {
  return slug.length <= TENANT_LENGTH_MAX && new RegExp(`^${TENANT}$`).test(slug)
}

export interface ParsedKey {
  tenant: string
  /** SHA-256 of the whole key, hex: what the database knows it by. */
  hash: string
}

export interface MintedKey extends ParsedKey {
  value: string
  hint: string
}

/** A new key of 256 random bits: `xd_<tenant>_<secret><CRC32 of all before>`, both in base62. */
export async function mintKey(tenant: string): Promise<MintedKey> {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
  const number = bytes.reduce((total, byte) => total * 256n + BigInt(byte), 0n)
  const body = `xd_${tenant}_${base62(number, SECRET_LENGTH)}`
  const value = body + checksum(body)
  return { value, tenant, hash: await hashKey(value), hint: hintOf(value) }
}

/** Null unless format and checksum are right; needs no I/O, so a mistyped key costs nothing. */
export async function parseKey(value: string): Promise<ParsedKey | null> {
  const match = value.length <= KEY_LENGTH_MAX ? FORMAT.exec(value) : null
  const [, body, tenant, check] = match ?? []
  if (!body || !tenant || check !== checksum(body)) return null
  return { tenant, hash: await hashKey(value) }
}

export async function hashKey(value: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(value))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** What lists show of a key: its prefix and last four characters. */
export function hintOf(value: string): string {
  return `${value.slice(0, value.lastIndexOf('_') + 1)}…${value.slice(-4)}`
}

/** The text with the hint in place of whatever looks like a key: one may stand where a name belongs. */
export function hideKeys(text: string): string {
  return text.replace(IN_TEXT, (key) => hintOf(key))
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_LENGTH)
}

function base62(number: bigint, length: number): string {
  let digits = ''
  for (let rest = number; rest > 0n; rest /= 62n) digits = BASE62[Number(rest % 62n)] + digits
  return digits.padStart(length, '0')
}
