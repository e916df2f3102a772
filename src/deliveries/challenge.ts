import type { Context } from 'hono'
import { ok } from '../engine/answers/envelope.ts'
import type { AppEnv } from '../engine/env.ts'
import { hideKeys } from '../engine/identity/key.ts'

// Plain characters only: the answer must not become a page.
const CHALLENGE = /^[\w.~:+/=-]{1,200}$/

/** Answers the check of a sender before it saves an address. A `challenge` is given back as text. */
export async function answerChallenge(c: Context<AppEnv>): Promise<Response> {
  await c.get('db').confirm()
  c.set('parameters', ['challenge'])
  const challenge = c.req.query('challenge')
  if (challenge !== undefined && isPlain(challenge)) return c.text(challenge)
  return ok(c, { ready: true })
}

function isPlain(challenge: string): boolean {
  return CHALLENGE.test(challenge) && hideKeys(challenge) === challenge
}
