import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_BYTES = 32
const SECRET_LENGTH = 43
const CHECKSUM_LENGTH = 6
const TAIL_LENGTH = SECRET_LENGTH + CHECKSUM_LENGTH
const TENANT = '[a-z][a-z0-9]*(?:-[a-z0-9]+)*'
const TENANT_LENGTH_MAX = 40
const FORMAT = new RegExp(`^((x[dh])_(${TENANT})_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$`)
const IN_TEXT = new RegExp(`x[dh]_${TENANT}_[0-9A-Za-z]{49}`, 'g')
const BEGINNING = /x[dh]_/g
const KEY_HERE = new RegExp(`(x[dh]_${TENANT}_[0-9A-Za-z]{43})([0-9A-Za-z]{6})`, 'y')
const KEY_LENGTH_MAX = 128

/** Lower-case letters, digits and single hyphens, at most 40: it is part of hosts and bindings. */
export function isTenant(slug: string): boolean {
  return slug.length <= TENANT_LENGTH_MAX && new RegExp(`^${TENANT}$`).test(slug)
}

/** How a key begins: `xd` is sent as `X-API-Key`, `xh` stands in the address of a webhook. Neither is good for the other. */
export type KeyPrefix = 'xd' | 'xh'

export interface ParsedKey {
  tenant: string
  /** The SHA-256 of the whole key in hex. The database stores this instead of the key. */
  hash: string
}

export interface MintedKey extends ParsedKey {
  value: string
  hint: string
}

/** A new key: `<prefix>_<tenant>_<256 random bits><CRC32 of all before>`, both numbers in base62. */
export async function mintKey(tenant: string, prefix: KeyPrefix = 'xd'): Promise<MintedKey> {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
  const number = bytes.reduce((total, byte) => total * 256n + BigInt(byte), 0n)
  const body = `${prefix}_${tenant}_${base62(number, SECRET_LENGTH)}`
  const value = body + checksum(body)
  return { value, tenant, hash: await hashKey(value), hint: hintOf(value) }
}

/** Null unless prefix, format and checksum are right. Needs no I/O, so a mistyped key costs nothing. */
export async function parseKey(value: string, prefix: KeyPrefix = 'xd'): Promise<ParsedKey | null> {
  const match = value.length <= KEY_LENGTH_MAX ? FORMAT.exec(value) : null
  const [, body, found, tenant, check] = match ?? []
  if (!body || !tenant || found !== prefix || check !== checksum(body)) return null
  return { tenant, hash: await hashKey(value) }
}

export async function hashKey(value: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(value))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** What lists show of a key: its prefix and its last four characters. */
export function hintOf(value: string): string {
  return `${value.slice(0, value.lastIndexOf('_') + 1)}…${value.slice(-4)}`
}

/**
 * What is shown of a text that is no key: it may be a key of the tenant with a typo, or the secret of another
 * system. Never more than `hintOf` shows of a key: the tenant's prefix if the text has it, and the last four
 * characters only if as many follow the prefix as in a key. Any others than those of a key do not count: quotes,
 * blanks, a word before the key.
 */
export function hintOfMalformed(text: string, tenant: string, kind: KeyPrefix = 'xd'): string {
  const prefix = `${kind}_${tenant}_`
  const at = text.indexOf(prefix)
  if (at < 0) return '…'
  const begin = at + prefix.length
  const tail = text.slice(begin, begin + KEY_LENGTH_MAX).replace(/[^0-9A-Za-z]/g, '')
  return `${prefix}…${tail.length === TAIL_LENGTH ? tail.slice(-4) : ''}`
}

/**
 * Whether a text begins as a key of the kind does, or as an address with one. It is about the form alone, so it tells nobody
 * whether there is such a key.
 */
export function beginsAs(kind: KeyPrefix, text: string): boolean {
  return text.startsWith(`${kind}_`) || text.includes(`/${kind}_`)
}

/** Replaces anything that looks like a key with its hint: a caller may send a key in place of a name. */
export function hideKeys(text: string): string {
  return text.replace(IN_TEXT, (key) => hintOf(key))
}

/** A key in a text, in UTF-16 units. */
export interface KeyInText {
  start: number
  end: number
  hint: string
}

/** The keys with a right checksum in a text, in order. */
export function findKeys(text: string): KeyInText[] {
  const found: KeyInText[] = []
  for (const { index: start } of text.matchAll(BEGINNING)) {
    KEY_HERE.lastIndex = start
    const [, body, check] = KEY_HERE.exec(text) ?? []
    if (!body || check !== checksum(body)) continue
    const value = body + check
    found.push({ start, end: start + value.length, hint: hintOf(value) })
  }
  return found
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_LENGTH)
}

function base62(number: bigint, length: number): string {
  let digits = ''
  for (let rest = number; rest > 0n; rest /= 62n) digits = BASE62[Number(rest % 62n)] + digits
  return digits.padStart(length, '0')
}
