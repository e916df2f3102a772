import type { Context } from 'hono'
import type { AppEnv } from '../engine/env.ts'
import { hideKeys } from '../engine/identity/key.ts'
import { SENT_ALONE, SENT_VALUE_LENGTH_MAX, type SentWith } from '../engine/json/sent-with.ts'
import type { WebhookRules } from '../engine/webhooks/rules.ts'
import { broughtBefore } from './arrival.ts'

/** The headers and parameters that the rules list, as they came with the delivery. A key in a value is hidden. */
export function sentWith(
  c: Context<AppEnv>,
  rules: Pick<WebhookRules, 'headers' | 'query'>,
): SentWith {
  const known = broughtBefore(c)
  if (known) return known.sent_with ?? SENT_ALONE
  const { headers } = c.req.raw
  const { searchParams } = c.get('exchange').url
  return {
    headers: valuesOf(
      rules.headers.map((name) => name.toLowerCase()),
      (name) => headers.get(name),
    ),
    query: valuesOf(rules.query, (name) => searchParams.get(name)),
  }
}

/** A value that is too long counts as missing: a part of it would be another value. */
function valuesOf(names: string[], read: (name: string) => string | null): Record<string, string> {
  const entries = names.flatMap((name) => {
    const value = read(name)
    if (value === null || value.length > SENT_VALUE_LENGTH_MAX) return []
    return [[name, hideKeys(value).toWellFormed()] as const]
  })
  return Object.fromEntries(entries)
}
