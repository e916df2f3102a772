import * as z from 'zod'
import { ACCOUNT } from './account.ts'
import { type Endpoint, endpoint, jsonOf, pageOf, success } from './call.ts'

// wrangler d1 info asks for them. The real ones come minutes later: none yet.
const Metrics = z.object({
  operationName: z.literal('getD1MetricsOverviewQuery'),
  query: z.string(),
  variables: z.object({ accountTag: z.literal(ACCOUNT.id), filter: z.object({}).loose() }),
})

/** Who calls, which accounts are theirs, and what has been counted. */
export function identityEndpoints(): Endpoint[] {
  return [
    endpoint('token.verify', 'GET', '/user/tokens/verify', () =>
      success({ id: 'ed17574386854bf78a67040be0a770b0', status: 'active' }),
    ),
    endpoint('user', 'GET', '/user', () =>
      success({ id: '7c5dae5552338874e5053f2534d2767a', email: 'ops@crossdock.example' }),
    ),
    endpoint('accounts', 'GET', '/accounts', (call) => pageOf(call, [ACCOUNT])),
    endpoint('memberships', 'GET', '/memberships', (call) =>
      pageOf(call, [{ id: 'member', account: ACCOUNT, status: 'accepted' }]),
    ),
    endpoint('graphql', 'POST', '/graphql', (call) => {
      jsonOf(call, Metrics)
      const accounts = [{ d1AnalyticsAdaptiveGroups: [] }]
      return Response.json({ data: { viewer: { accounts } }, errors: null })
    }),
  ]
}
