import { byName } from '../../engine/json/by-name.ts'
import type { PublicKey } from '../../engine/webhooks/public-key.ts'
import type { WebhookPreset } from '../../settings/webhook-presets/preset-schema.ts'
import { keysText, placeText } from './texts.ts'

/** Named as the members of `verification`, but for what two kinds have in different ways. */
export const VERIFICATION_FIELDS = [
  'kind',
  'header',
  'algorithm',
  'key_algorithm',
  'format',
  'encoding',
  'signed',
  'prefix',
  'separator',
  'timestamp',
  'tolerance_s',
  'id',
  'origin',
  'secret_encoding',
  'secret_prefix',
  'keys',
  'username',
] as const

export type VerificationFields = Record<(typeof VERIFICATION_FIELDS)[number], string>

/** What the form shows of a member that is not there. */
export const NO_VERIFICATION: VerificationFields = {
  ...byName(VERIFICATION_FIELDS, () => ''),
  kind: 'hmac',
  algorithm: 'sha256',
  key_algorithm: 'RS256',
  format: 'raw',
  encoding: 'base64',
  signed: '{body}',
  tolerance_s: '300',
  secret_encoding: 'utf8',
}

const TEXTS = [
  'kind',
  'header',
  'format',
  'encoding',
  'signed',
  'prefix',
  'separator',
  'origin',
  'secret_encoding',
  'secret_prefix',
  'username',
] as const

interface Members {
  algorithm?: string
  timestamp?: { header?: string; member?: string; path?: string; tolerance_s?: number }
  id?: { header: string }
  keys?: PublicKey[]
}

/** A preset's lacks what only the user knows. */
export function verificationFields(
  verification: WebhookPreset['rules']['verification'],
): VerificationFields {
  const { algorithm, timestamp, id, keys } = verification as Members
  const given = TEXTS.filter((name) => typeof verification[name] === 'string')
  const isKey = verification.kind === 'public_key'
  return {
    ...NO_VERIFICATION,
    ...byName(given, (name) => String(verification[name])),
    ...(algorithm !== undefined && { [isKey ? 'key_algorithm' : 'algorithm']: algorithm }),
    ...(timestamp && { timestamp: placeText(timestamp) }),
    ...(timestamp?.tolerance_s && { tolerance_s: String(timestamp.tolerance_s) }),
    id: id?.header ?? '',
    keys: keysText(keys ?? []),
  }
}
