import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'
import type { Warning } from '../json/warnings.ts'

const UNUSED: Warning = {
  field: 'body',
  message: 'GET takes no body: it had no effect. Send filters as query parameters.',
}

/** A warning for the body of a read. Its fields are not read, so they are not named. None for requests without a key. */
export function unusedBody(c: Context<AppEnv>): Warning[] {
  if (c.req.method !== 'GET' || !c.get('exchange').caller) return []
  const { body } = c.req.raw
  const length = c.req.header('Content-Length')
  const isSent = length === undefined ? body !== null : Number(length) > 0
  return isSent ? [UNUSED] : []
}
