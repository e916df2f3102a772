import { createHash } from 'node:crypto'
import * as z from 'zod'
import { type Account, type Script, ZONE } from './account.ts'
import {
  type Call,
  type Endpoint,
  endpoint,
  jsonOf,
  Misunderstood,
  pageOf,
  Refusal,
  success,
} from './call.ts'
import { scriptOf } from './scripts.ts'

const Subdomain = z.strictObject({
  enabled: z.boolean(),
  previews_enabled: z.boolean().optional(),
})
const Routes = z.array(
  z.strictObject({
    pattern: z.string(),
    zone_name: z.string().optional(),
    zone_id: z.string().optional(),
  }),
)
const Moved = z.strictObject({ pattern: z.string(), script: z.string() })
const Schedules = z.array(z.strictObject({ cron: z.string().regex(/^(\S+ ){4}\S+$/) }))

const SCRIPT = '/accounts/:account/workers/scripts/:script'

/** What brings requests and time to a Worker: routes of the zone, schedules, workers.dev. */
export function triggerEndpoints(account: Account): Endpoint[] {
  return [
    endpoint('zone.list', 'GET', '/zones', (call) => {
      const name = call.query.get('name')
      return pageOf(call, name === null || name === ZONE.name ? [ZONE] : [])
    }),
    endpoint('zone.routes', 'GET', '/zones/:zone/workers/routes', () =>
      success(
        [...account.scripts.values()].flatMap(({ name, routes }) =>
          routes.map((pattern) => ({ id: idOf(pattern), pattern, script: name })),
        ),
      ),
    ),
    endpoint('zone.route.put', 'PUT', '/zones/:zone/workers/routes/:route', (call) => {
      const { pattern, script } = jsonOf(call, Moved)
      const scripts = [...account.scripts.values()]
      const holder = scripts.find(({ routes }) => routes.includes(pattern))
      const taker = account.scripts.get(script)
      if (!taker) throw new Refusal(400, 10019, `workers.api.error.route_script_missing`)
      if (!holder || idOf(pattern) !== call.params.route) {
        throw new Refusal(404, 10009, 'workers.api.error.route_not_found')
      }
      holder.routes = holder.routes.filter((other) => other !== pattern)
      taker.routes = [...taker.routes, pattern]
      return success({ id: idOf(pattern), pattern, script })
    }),
    endpoint('routes.put', 'PUT', `${SCRIPT}/routes`, (call) => {
      const script = scriptOf(account, call)
      script.routes = routesOf(call, account, script)
      return success(script.routes.map((pattern) => ({ id: idOf(pattern), pattern })))
    }),
    endpoint('schedules.put', 'PUT', `${SCRIPT}/schedules`, (call) => {
      const script = scriptOf(account, call)
      script.crons = jsonOf(call, Schedules).map(({ cron }) => cron)
      return success({ schedules: script.crons.map((cron) => ({ cron })) })
    }),
    endpoint('worker.get', 'GET', '/accounts/:account/workers/workers/:script', (call) => {
      const { tag, name, subdomain } = scriptOf(account, call)
      return success({ id: tag, name, subdomain })
    }),
    endpoint('subdomain.set', 'POST', `${SCRIPT}/subdomain`, (call) => {
      const script = scriptOf(account, call)
      const { enabled, previews_enabled = enabled } = jsonOf(call, Subdomain)
      script.subdomain = { enabled, previews_enabled }
      return success(script.subdomain)
    }),
  ]
}

function idOf(pattern: string): string {
  return createHash('md5').update(pattern).digest('hex')
}

function routesOf(call: Call, account: Account, script: Script): string[] {
  return jsonOf(call, Routes).map(({ pattern, zone_name, zone_id }) => {
    const [host = ''] = pattern.split('/')
    const zone = zone_name ?? (zone_id === ZONE.id ? ZONE.name : undefined)
    if (zone !== ZONE.name || !(host === zone || host.endsWith(`.${zone}`))) {
      throw new Misunderstood(`the route ${pattern} is in no zone of this account`)
    }
    const others = [...account.scripts.values()].filter((other) => other !== script)
    if (others.some(({ routes }) => routes.includes(pattern))) {
      throw new Refusal(409, 10020, 'A route with the same pattern already exists.')
    }
    return pattern
  })
}
