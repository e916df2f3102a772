import { openSecret } from './sealed-secret.ts'
import { secretFault, secretsInForce } from './secret.ts'
import type { WebhookKeys } from './secret-keys.ts'
import type { Verification } from './verification.ts'

/** A secret as the database has it, with the id of the webhook for which it was sealed. */
interface Sealed {
  sealed: string
  sealed_for: string
  ends_at: string | null
}

// Decrypting takes longer than a check. A snapshot of a webhook is replaced when its secrets change.
const opened = new WeakMap<Sealed, string>()

/** The secrets that are in force, can be decrypted and fit the check. */
export async function usableSecrets(
  keys: WebhookKeys,
  tenant: string,
  verification: Verification,
  stored: readonly Sealed[],
): Promise<string[]> {
  const secrets: string[] = []
  for (const one of secretsInForce(stored)) {
    const place = { tenant, webhook_id: one.sealed_for }
    const secret = opened.get(one) ?? (await openSecret(keys, place, one.sealed))
    if (secret === null || secretFault(verification, secret) !== null) continue
    opened.set(one, secret)
    secrets.push(secret)
  }
  return secrets
}
