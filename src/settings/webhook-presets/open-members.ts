/** The members that only the user knows, as they may be filled in. */
const OPEN = {
  public_key: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: '' }] },
  basic: { username: 'name' },
}
const ORIGIN = 'https://api.example.com'

interface OpenVerification {
  kind: string
  signed?: unknown
}

/** What a preset leaves to the user, with values in its place. */
export function openMembers({ kind, signed }: OpenVerification): Record<string, unknown> {
  return {
    ...(Object.hasOwn(OPEN, kind) && OPEN[kind as keyof typeof OPEN]),
    ...(typeof signed === 'string' && signed.includes('{url}') && { origin: ORIGIN }),
  }
}
