import { Hono } from 'hono'
import type { AppEnv } from '../engine/env.ts'
import { takeMemory } from '../middleware/memory.ts'
import { apiKeys, newApiKey } from './api-keys/routes.ts'
import { auditLog } from './audit-log/routes.ts'
import { LOCATION_PAGES, PRODUCT_PAGES } from './catalogue/pages.ts'
import { cataloguePages } from './catalogue/routes.ts'
import { inventory } from './inventory/routes.ts'
import { mappings } from './mappings/routes.tsx'
import { orders } from './orders/routes.ts'
import { overview } from './overview/routes.ts'
import { newPartner, partners } from './partners/routes.ts'
import { sameOrigin } from './protect.ts'
import { requests } from './requests/routes.ts'
import { search } from './search/routes.ts'
import { sendingAll } from './send-again/routes.ts'
import { signInPages } from './sign-in/routes.ts'
import { requireSession } from './sign-in/session.ts'
import { workspace } from './workspace/routes.ts'

/** The dashboard. Its pages use the same queries and checks as the API. */
export const dashboard = new Hono<AppEnv>()

dashboard.use(sameOrigin)
dashboard.route('/', signInPages)
dashboard.use(requireSession, takeMemory)

dashboard.route('/', overview)
dashboard.route('/orders/', orders)
dashboard.route('/products/', cataloguePages(PRODUCT_PAGES))
dashboard.route('/locations/', cataloguePages(LOCATION_PAGES))
dashboard.route('/inventory/', inventory)
dashboard.route('/api-keys/', apiKeys)
dashboard.route('/new/api-key/', newApiKey)
dashboard.route('/partners/', partners)
dashboard.route('/new/partner/', newPartner)
dashboard.route('/partners/:id/mappings/', mappings)
dashboard.route('/audit-log/', auditLog)
dashboard.route('/audit-log/', requests)
dashboard.route('/send-again/', sendingAll)
dashboard.route('/search/', search)
dashboard.route('/workspace/', workspace)
