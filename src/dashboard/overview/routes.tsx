import { Hono } from 'hono'
import * as z from 'zod'
import type { AppEnv } from '../../env.ts'
import { query } from '../../middleware/validate.ts'
import { showOverview } from './page.tsx'
import { RANGE_NAMES } from './ranges.ts'

const OverviewQuery = z.object({ range: z.enum(RANGE_NAMES).default('24h') })

export const overview = new Hono<AppEnv>()

overview.get('/', query(OverviewQuery), (c) => showOverview(c, c.req.valid('query').range))
