import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'

/** A warning if the key is the one of the session. */
export function OwnKey({ c, id, text }: { c: Context<AppEnv>; id: string; text: string }) {
  return id === c.get('caller').key.id ? (
    <p>
      <strong>You are signed in with this key: {text}</strong>
    </p>
  ) : null
}
