import { Hono } from 'hono'
import type { AppEnv } from '../engine/env.ts'
import { takeMemory } from '../middleware/memory.ts'
import { adjustPages } from './adjust/routes.ts'
import { apiKeyPages, newApiKey } from './api-keys/routes.ts'
import { auditLogPages } from './audit-log/routes.ts'
import { newRecordPages } from './catalogue/new.tsx'
import { LOCATION_PAGES, PRODUCT_PAGES } from './catalogue/pages.ts'
import { cataloguePages } from './catalogue/routes.ts'
import { connectPages } from './connect/routes.ts'
import { applyingDeliveries } from './deliveries/apply-many.tsx'
import { deliveryPages } from './deliveries/routes.tsx'
import { importRecordPages, importStockPages } from './import/routes.ts'
import { stockPages } from './inventory/routes.ts'
import { itemCodePages } from './item-codes/routes.ts'
import { mappingPages } from './mappings/routes.tsx'
import { differingPages } from './orders/differing.tsx'
import { orderPages } from './orders/routes.ts'
import { overviewPages } from './overview/routes.ts'
import { newPartner, partnerPages } from './partners/routes.ts'
import { newPerson, peoplePages } from './people/routes.ts'
import { sameOrigin } from './protect.ts'
import { requestPages } from './requests/routes.ts'
import { searchPages } from './search/routes.ts'
import { sendingAll } from './send-again/routes.ts'
import { endingSessions, sessionPages } from './sessions/routes.ts'
import { settingsHistoryPages } from './settings-history/routes.ts'
import { signInPages } from './sign-in/routes.ts'
import { requireSession } from './sign-in/session.ts'
import { newWebhook, webhookPages } from './webhooks/routes.ts'
import { workspacePages } from './workspace/routes.ts'

/** The dashboard. Its pages use the same queries and checks as the API. */
export const dashboard = new Hono<AppEnv>()

dashboard.use(sameOrigin)
dashboard.route('/', signInPages)
dashboard.use(requireSession, takeMemory)

dashboard.route('/', overviewPages)
dashboard.route('/orders/', orderPages)
dashboard.route('/products/', cataloguePages(PRODUCT_PAGES))
dashboard.route('/locations/', cataloguePages(LOCATION_PAGES))
dashboard.route('/new/product/', newRecordPages(PRODUCT_PAGES))
dashboard.route('/new/location/', newRecordPages(LOCATION_PAGES))
dashboard.route('/inventory/', stockPages)
dashboard.route('/inventory/adjust/', adjustPages)
dashboard.route('/import/products/', importRecordPages(PRODUCT_PAGES))
dashboard.route('/import/locations/', importRecordPages(LOCATION_PAGES))
dashboard.route('/import/inventory/', importStockPages)
dashboard.route('/api-keys/', apiKeyPages)
dashboard.route('/new/api-key/', newApiKey)
dashboard.route('/people/', peoplePages)
dashboard.route('/new/person/', newPerson)
dashboard.route('/sessions/', sessionPages)
dashboard.route('/end-sessions/', endingSessions)
dashboard.route('/webhooks/', webhookPages)
dashboard.route('/new/webhook/', newWebhook)
dashboard.route('/partners/', partnerPages)
dashboard.route('/new/partner/', newPartner)
dashboard.route('/partners/:id/mappings/', mappingPages)
dashboard.route('/partners/:id/item-codes/', itemCodePages)
dashboard.route('/connect/', connectPages)
dashboard.route('/deliveries/', deliveryPages)
dashboard.route('/line-differences/', differingPages)
dashboard.route('/apply-deliveries/', applyingDeliveries)
dashboard.route('/audit-log/', auditLogPages)
dashboard.route('/audit-log/', requestPages)
dashboard.route('/send-again/', sendingAll)
dashboard.route('/search/', searchPages)
dashboard.route('/workspace/', workspacePages)
dashboard.route('/history/', settingsHistoryPages)
