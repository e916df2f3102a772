import { Hono } from 'hono'
import type { AppEnv } from './engine/env.ts'
import { CODE_KINDS } from './engine/mapping/item-code.ts'
import { LOCATIONS, PRODUCTS } from './records/catalogue/kind.ts'
import { catalogueRoutes } from './records/catalogue/routes.ts'
import { changesRoutes } from './records/changes/routes.ts'
import { inventoryRoutes } from './records/inventory/routes.ts'
import { ordersRoutes } from './records/orders/routes.ts'
import { auditLogRoutes } from './requests/audit-log/routes.ts'
import { checkUpRoutes } from './requests/check-up/routes.ts'
import { applyDeliveriesRoutes, waitingRoutes } from './requests/deliveries/routes.ts'
import { partnerDocumentsRoutes, requestDocumentRoutes } from './requests/documents/routes.ts'
import { keyAttemptsRoutes } from './requests/key-attempts/routes.ts'
import { lineDifferencesRoutes } from './requests/line-differences/routes.ts'
import { sendOneAgainRoutes, sendSeveralAgainRoutes } from './requests/send-again/routes.ts'
import { requestChangesRoutes, undoRoutes } from './requests/undo/routes.ts'
import { peopleRoutes } from './settings/api-keys/people/routes.ts'
import { apiKeysRoutes } from './settings/api-keys/routes.ts'
import { webhooksRoutes } from './settings/api-keys/webhooks/routes.ts'
import { historyRoutes } from './settings/history/routes.ts'
import { itemCodesRoutes } from './settings/item-codes/routes.ts'
import { starters } from './settings/mapping-starters/starters.ts'
import { mappingsRoutes } from './settings/mappings/routes.ts'
import { partnersRoutes } from './settings/partners/routes.ts'
import { sessionsRoutes } from './settings/sessions/routes.ts'
import { shippedRoutes } from './settings/shipped-routes.ts'
import { presets } from './settings/webhook-presets/presets.ts'
import { workspaceRoutes } from './settings/workspace/routes.ts'

/** The endpoints of both APIs. Their OpenAPI documents read paths and scopes from here. */
export const api = new Hono<AppEnv>()

api.route('/api/integrations/v1/orders/', ordersRoutes)
api.route('/api/integrations/v1/products/', catalogueRoutes(PRODUCTS))
api.route('/api/integrations/v1/locations/', catalogueRoutes(LOCATIONS))
api.route('/api/integrations/v1/inventory/', inventoryRoutes)
api.route('/api/integrations/v1/changes/', changesRoutes)

api.route('/api/settings/v1/workspace/', workspaceRoutes)
api.route('/api/settings/v1/api-keys/', apiKeysRoutes)
api.route('/api/settings/v1/people/', peopleRoutes)
api.route('/api/settings/v1/sessions/', sessionsRoutes)
api.route('/api/settings/v1/webhooks/', webhooksRoutes)
api.route('/api/settings/v1/partners/', partnersRoutes)
api.route('/api/settings/v1/partners/:id/mappings/', mappingsRoutes)
for (const kind of CODE_KINDS) {
  api.route(`/api/settings/v1/partners/:id/item-codes/${kind}/`, itemCodesRoutes(kind))
}
api.route('/api/settings/v1/partners/:id/check-up/', checkUpRoutes)
api.route('/api/settings/v1/mapping-starters/', shippedRoutes(starters, 'settings.partners.read'))
api.route('/api/settings/v1/webhook-presets/', shippedRoutes(presets, 'settings.keys.read'))
api.route('/api/settings/v1/partners/:id/documents/', partnerDocumentsRoutes)
api.route('/api/settings/v1/audit-log/', auditLogRoutes)
api.route('/api/settings/v1/audit-log/:id/document/', requestDocumentRoutes)
api.route('/api/settings/v1/audit-log/:id/send-again/', sendOneAgainRoutes)
api.route('/api/settings/v1/audit-log/:id/changes/', requestChangesRoutes)
api.route('/api/settings/v1/audit-log/:id/undo/', undoRoutes)
api.route('/api/settings/v1/send-again/', sendSeveralAgainRoutes)
api.route('/api/settings/v1/key-attempts/', keyAttemptsRoutes)
api.route('/api/settings/v1/deliveries/', waitingRoutes)
api.route('/api/settings/v1/apply-deliveries/', applyDeliveriesRoutes)
api.route('/api/settings/v1/line-differences/', lineDifferencesRoutes)
api.route('/api/settings/v1/history/', historyRoutes)
