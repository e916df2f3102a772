import { Hono } from 'hono'
import type { AppEnv } from './env.ts'
import { LOCATIONS, PRODUCTS } from './resources/catalogue/kind.ts'
import { catalogueRoutes } from './resources/catalogue/routes.ts'
import { changes } from './resources/changes/routes.ts'
import { inventory } from './resources/inventory/routes.ts'
import { orders } from './resources/orders/routes.ts'
import { apiKeys } from './settings/api-keys/routes.ts'
import { auditLog } from './settings/audit-log/routes.ts'
import { checkUps } from './settings/check-up/routes.ts'
import { partnerDocuments, requestDocument } from './settings/documents/routes.ts'
import { keyAttempts } from './settings/key-attempts/routes.ts'
import { mappingStarters } from './settings/mapping-starters/routes.ts'
import { mappings } from './settings/mappings/routes.ts'
import { partners } from './settings/partners/routes.ts'
import { sendOneAgain, sendSeveralAgain } from './settings/send-again/routes.ts'
import { requestChanges, undo } from './settings/undo/routes.ts'
import { workspace } from './settings/workspace/routes.ts'

/** The endpoints of both APIs. Their OpenAPI documents read paths and scopes from here. */
export const api = new Hono<AppEnv>()

api.route('/api/integrations/v1/orders/', orders)
api.route('/api/integrations/v1/products/', catalogueRoutes(PRODUCTS))
api.route('/api/integrations/v1/locations/', catalogueRoutes(LOCATIONS))
api.route('/api/integrations/v1/inventory/', inventory)
api.route('/api/integrations/v1/changes/', changes)

api.route('/api/settings/v1/workspace/', workspace)
api.route('/api/settings/v1/api-keys/', apiKeys)
api.route('/api/settings/v1/partners/', partners)
api.route('/api/settings/v1/partners/:id/mappings/', mappings)
api.route('/api/settings/v1/partners/:id/check-up/', checkUps)
api.route('/api/settings/v1/mapping-starters/', mappingStarters)
api.route('/api/settings/v1/partners/:id/documents/', partnerDocuments)
api.route('/api/settings/v1/audit-log/', auditLog)
api.route('/api/settings/v1/audit-log/:id/document/', requestDocument)
api.route('/api/settings/v1/audit-log/:id/send-again/', sendOneAgain)
api.route('/api/settings/v1/audit-log/:id/changes/', requestChanges)
api.route('/api/settings/v1/audit-log/:id/undo/', undo)
api.route('/api/settings/v1/send-again/', sendSeveralAgain)
api.route('/api/settings/v1/key-attempts/', keyAttempts)
