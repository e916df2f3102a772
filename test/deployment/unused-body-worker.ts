import { Hono } from 'hono'
import { unusedBody } from '../../src/engine/answers/envelope.ts'
import type { AppEnv } from '../../src/engine/env.ts'

/** Answers the fields of the warnings for the request's body. */
const app = new Hono<AppEnv>()

app.all('*', (c) => {
  c.set('exchange', { caller: {} } as AppEnv['Variables']['exchange'])
  return c.json(unusedBody(c).map(({ field }) => field))
})

export default app
