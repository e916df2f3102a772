import { type Context, Hono } from 'hono'
import { version } from '../package.json'
import { api } from './api.ts'
import { dashboard } from './dashboard/app.ts'
import { errorPage } from './dashboard/error-page.tsx'
import { pageHeaders } from './dashboard/protect.ts'
import { deliveriesRoutes } from './deliveries/routes.ts'
import { renderError } from './engine/answers/envelope.ts'
import { answerErrors } from './engine/answers/errors.ts'
import { healthz } from './engine/answers/healthz.ts'
import type { AppEnv } from './engine/env.ts'
import type { AppFetch } from './engine/exchange/rerun.ts'
import { audit } from './middleware/audit.ts'
import { authenticate } from './middleware/authenticate.ts'
import { authenticateWebhook } from './middleware/authenticate-webhook.ts'
import { bounds } from './middleware/bounds.ts'
import { dispatching } from './middleware/dispatching.ts'
import { dryRunParameter } from './middleware/dry-run-parameter.ts'
import { exchange } from './middleware/exchange.ts'
import { measure } from './middleware/measure.ts'
import { takeMemory } from './middleware/memory.ts'
import { nearReads } from './middleware/near-reads.ts'
import { rateLimit } from './middleware/rate-limit.ts'
import { release } from './middleware/release.ts'
import { requireHttps } from './middleware/require-https.ts'
import { requireIntegration } from './middleware/require-integration.ts'
import { trailingSlash, unknownPath, wrongMethod } from './middleware/unknown-path.ts'
import { apiDocuments } from './openapi/routes.ts'

const isDashboard = (c: Context<AppEnv>) => c.get('exchange').path.startsWith('/dashboard/')

export const app = new Hono<AppEnv>()

const answer: AppFetch = (...request) => app.fetch(...request)

app.onError(
  answerErrors(answer, (c, error) => (isDashboard(c) ? errorPage : renderError)(c, error)),
)

app.use(audit, measure(version), exchange, requireHttps)
// Their paths have no slash at the end, and need no key.
app.route('/', apiDocuments)
app.use('/dashboard/*', pageHeaders, trailingSlash)
app.use(bounds)
app.use('/api/*', trailingSlash)
app.use('/healthz/*', trailingSlash)
app.use('/api/*', authenticate)
app.use('/webhooks/*', authenticateWebhook)
app.use('/api/settings/*', dispatching(answer))
app.use('/dashboard/*', dispatching(answer))
app.use('/api/integrations/*', dispatching(answer))
app.use('/webhooks/*', dispatching(answer))
app.use('/api/integrations/*', release, requireIntegration)
app.use('/api/*', rateLimit, takeMemory, nearReads, dryRunParameter)
app.use('/webhooks/*', rateLimit, takeMemory)
app.use(unknownPath, wrongMethod(app))

app.route('/', api)
app.route('/webhooks/v1/', deliveriesRoutes)
app.route('/dashboard/', dashboard)

app.route('/healthz/', healthz)
