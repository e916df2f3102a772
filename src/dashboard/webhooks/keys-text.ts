import type { PublicKey } from '../../engine/webhooks/public-key.ts'

// Public keys as people paste them: PEM texts one below the other, or JWK objects.

const PEM_END = /(-----END [A-Z ]+-----)/

/** What `rules.verification.keys` takes. */
export function keysIn(text: string): unknown[] {
  const trimmed = text.trim()
  if (trimmed === '') return []
  if (!/^[[{]/.test(trimmed)) return pemsIn(trimmed)
  try {
    return JSON.parse(`[${trimmed.replace(/\}\s*\{/g, '},{')}]`).flat()
  } catch {
    return [trimmed]
  }
}

function pemsIn(text: string): string[] {
  const parts = text.split(PEM_END)
  const pems = parts.flatMap((part, at) => (at % 2 === 0 ? [part + (parts[at + 1] ?? '')] : []))
  return pems.map((pem) => pem.trim()).filter((pem) => pem !== '')
}

export function keysText(keys: readonly PublicKey[]): string {
  return keys.map((key) => (typeof key === 'string' ? key.trim() : JSON.stringify(key))).join('\n')
}
