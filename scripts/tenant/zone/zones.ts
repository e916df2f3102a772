import * as z from 'zod'
import { Failure } from '../../failure.ts'
import { callCloudflare, reasonOf } from '../cloudflare-api.ts'
import type { Route } from '../config-groups.ts'
import type { Environment } from '../environment.ts'

const Zone = z.object({ id: z.string(), name: z.string() })

export type Zone = z.output<typeof Zone>

/** The zones of the routes, each once. */
export async function zonesOf(environment: Environment, routes: Route[]): Promise<Zone[]> {
  const zones = new Map<string, Zone>()
  for (const { zone_id, zone_name = '' } of routes) {
    const zone = zone_id
      ? await zoneWithId(environment, zone_id)
      : await zoneNamed(environment, zone_name, 'The domain cannot be checked')
    zones.set(zone.id, zone)
  }
  return [...zones.values()]
}

/** `wrong` begins the message if there is none that the token may read. */
export async function zoneNamed(
  environment: Environment,
  name: string,
  wrong: string,
): Promise<Zone> {
  const path = `/zones?${new URLSearchParams({ name })}`
  const zones = z.array(Zone).parse(await readZones(environment, path, wrong))
  const zone = zones.find((each) => each.name === name)
  if (zone) return zone
  throw new Failure(
    `${wrong}: your account has no zone ${name}, or the token lacks the permission Zone Read for it.`,
  )
}

async function zoneWithId(environment: Environment, id: string): Promise<Zone> {
  return Zone.parse(await readZones(environment, `/zones/${id}`, 'The domain cannot be checked'))
}

async function readZones(environment: Environment, path: string, wrong: string): Promise<unknown> {
  const answer = await callCloudflare(environment, { method: 'GET', path, isGlobal: true })
  if (answer.success) return answer.result
  const isRefused = answer.status === 401 || answer.status === 403
  const advice = isRefused ? ' The token needs the permission Zone Read.' : ''
  throw new Failure(`${wrong}: ${reasonOf(answer)}${advice}`)
}
