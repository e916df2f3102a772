import { Hono } from 'hono'
import type { AppEnv } from '../../src/env.ts'
import { unusedBody } from '../../src/middleware/unused-body.ts'

/** Answers the fields of the warnings for the request's body. */
const app = new Hono<AppEnv>()

app.all('*', (c) => {
  c.set('exchange', { caller: {} } as AppEnv['Variables']['exchange'])
  return c.json(unusedBody(c).map(({ field }) => field))
})

export default app
