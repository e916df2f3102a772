import { randomBytes } from 'node:crypto'
import { WEBHOOK_SECRET_KEY, webhookKeyNumber } from '../src/engine/webhooks/secret-keys.ts'

/** A secret of the Worker that the commands make where it is missing. */
export interface WorkerSecret {
  name: string
  /** What the Worker cannot do without it, as a sentence without its end. */
  without: string
}

export const SECRETS: WorkerSecret[] = [
  { name: 'SESSION_SECRET', without: 'nobody can sign in to the dashboard' },
  { name: WEBHOOK_SECRET_KEY, without: 'nobody can enter the secret of a webhook' },
]

/** A value that nobody else has: 256 random bits, 43 characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Those that are not among the names. A successor with a number counts, as the first one may have been deleted. */
export function missingSecrets(names: string[]): WorkerSecret[] {
  return SECRETS.filter(({ name }) => {
    const isKey = name === WEBHOOK_SECRET_KEY
    return !names.some((each) => each === name || (isKey && webhookKeyNumber(each) !== null))
  })
}

/** The names of the keys of webhooks, the oldest first. */
export function webhookKeysAmong(names: string[]): string[] {
  const numbered = names.flatMap((name) => {
    const number = webhookKeyNumber(name)
    return number === null ? [] : [{ name, number }]
  })
  return numbered.toSorted((a, b) => a.number - b.number).map(({ name }) => name)
}

/** The name of the key that comes after those, such as `WEBHOOK_SECRET_KEY_2`. */
export function nextWebhookKey(names: string[]): string {
  const newest = webhookKeysAmong(names).at(-1)
  return nameOfWebhookKey(newest === undefined ? 1 : (webhookKeyNumber(newest) ?? 1) + 1)
}

/** The name of the key with this number. */
export function nameOfWebhookKey(number: number | string): string {
  return Number(number) === 1 ? WEBHOOK_SECRET_KEY : `${WEBHOOK_SECRET_KEY}_${number}`
}
