import { type Context, Hono } from 'hono'
import { dashboard } from './dashboard/app.ts'
import { errorPage } from './dashboard/error-page.tsx'
import { pageHeaders } from './dashboard/protect.ts'
import type { AppEnv } from './env.ts'
import { renderError } from './envelope.ts'
import { healthz } from './healthz.ts'
import { authenticate } from './middleware/authenticate.ts'
import { answerErrors } from './middleware/errors.ts'
import { exchange } from './middleware/exchange.ts'
import { inFlight } from './middleware/in-flight.ts'
import { largeBodies } from './middleware/large-bodies.ts'
import { payloadLimit } from './middleware/payload.ts'
import { rateLimit } from './middleware/rate-limit.ts'
import { release } from './middleware/release.ts'
import { requireIntegration } from './middleware/require-scope.ts'
import { trailingSlash, unknownPath, wrongMethod } from './middleware/unknown-path.ts'
import { inventory } from './resources/inventory/routes.ts'
import { locations } from './resources/locations/routes.ts'
import { orders } from './resources/orders/routes.ts'
import { products } from './resources/products/routes.ts'
import { apiKeys } from './settings/api-keys/routes.ts'
import { auditLog } from './settings/audit-log/routes.ts'
import { mappings } from './settings/mappings/routes.ts'
import { partners } from './settings/partners/routes.ts'
import { workspace } from './settings/workspace/routes.ts'

const isDashboard = (c: Context<AppEnv>) => c.get('exchange').path.startsWith('/dashboard/')

export const app = new Hono<AppEnv>()

app.onError(
  answerErrors(
    (...request) => app.fetch(...request),
    (c, error) => (isDashboard(c) ? errorPage : renderError)(c, error),
  ),
)

app.use(exchange)
app.use('/dashboard/*', pageHeaders, trailingSlash)
app.use('/api/*', trailingSlash)
app.use('/healthz/*', trailingSlash)
app.use('/api/*', authenticate)
app.use('/api/integrations/*', release, requireIntegration)
app.use('/api/*', rateLimit, inFlight, largeBodies, payloadLimit)
app.use(unknownPath, wrongMethod(app))

app.route('/api/integrations/v1/orders/', orders)
app.route('/api/integrations/v1/products/', products)
app.route('/api/integrations/v1/locations/', locations)
app.route('/api/integrations/v1/inventory/', inventory)

app.route('/api/settings/v1/workspace/', workspace)
app.route('/api/settings/v1/api-keys/', apiKeys)
app.route('/api/settings/v1/partners/', partners)
app.route('/api/settings/v1/partners/:id/mappings/', mappings)
app.route('/api/settings/v1/audit-log/', auditLog)

app.route('/dashboard/', dashboard)

app.route('/healthz/', healthz)
