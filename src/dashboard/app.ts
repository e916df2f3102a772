import { Hono } from 'hono'
import type { AppEnv } from '../env.ts'
import { inFlight } from '../middleware/in-flight.ts'
import { payloadLimit } from '../middleware/payload.ts'
import { apiKeys, newApiKey } from './api-keys/routes.tsx'
import { auditLog } from './audit-log/routes.tsx'
import { mappings } from './mappings/routes.tsx'
import { overview } from './overview/routes.tsx'
import { newPartner, partners } from './partners/routes.tsx'
import { sameOrigin } from './protect.ts'
import { requireSession } from './session.ts'
import { signInPages } from './sign-in/routes.tsx'
import { workspace } from './workspace/routes.tsx'

/** The settings in a browser: pages over the same queries as `/api/settings/v1/`. */
export const dashboard = new Hono<AppEnv>()

dashboard.use(sameOrigin)
dashboard.route('/', signInPages)
dashboard.use(requireSession, inFlight, payloadLimit)

dashboard.route('/', overview)
dashboard.route('/api-keys/', apiKeys)
dashboard.route('/new/api-key/', newApiKey)
dashboard.route('/partners/', partners)
dashboard.route('/new/partner/', newPartner)
dashboard.route('/partners/:id/mappings/', mappings)
dashboard.route('/audit-log/', auditLog)
dashboard.route('/workspace/', workspace)
