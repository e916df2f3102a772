import { isDeepStrictEqual } from 'node:util'
import { Failure } from '../failure.ts'
import { CONFIG, type Raw, ROUTER_CONFIG, readRaw } from './config-file.ts'
import { environmentsIn, inCommon, readRouter } from './config-groups.ts'
import { type Environment, NAMESPACE_BINDING, openEnvironment } from './environment.ts'

const DOMAIN = 'vars BASE_DOMAIN'
const COUNTERS = 'ratelimits FAILED_LOOKUPS'

/**
 * Throws a Failure that names what a group of the environment, or its router, has other than the first group. Their blocks are
 * copies, and nothing else notices when only one of them was changed.
 */
export async function refuseDifferences({ first }: Environment): Promise<void> {
  if (first === null) return
  const { groups } = await openEnvironment(first)
  const [blocks, routers] = await Promise.all([CONFIG, ROUTER_CONFIG].map(blocksIn))
  const own = entriesOf(inCommon(blocks?.[first] ?? {}))
  const faults: string[] = []
  for (const { name } of groups) {
    const names = differing(own, entriesOf(inCommon(blocks?.[`${name}`] ?? {})))
    if (names.length > 0) faults.push(`[env.${name}] in ${CONFIG}: ${names.join(', ')}`)
  }
  const router = routers?.[first]
  if (router) {
    const names = [
      ...differing(routed(own), routed(entriesOf(router))),
      ...(await strays(first, groups)),
    ]
    if (names.length > 0) faults.push(`[env.${first}] in ${ROUTER_CONFIG}: ${names.join(', ')}`)
  }
  if (faults.length === 0) return
  const heading = `The groups of ${first} and its router must have the same as [env.${first}] in ${CONFIG}, and these differ:`
  const advice = `Make them the same. Only name, routes, tenants and the id of ${NAMESPACE_BINDING} are a group's own.`
  throw new Failure([heading, ...faults.map((fault) => `  ${fault}`), advice].join('\n'))
}

async function blocksIn(file: string): Promise<Record<string, Raw>> {
  return environmentsIn(await readRaw(file))
}

/** By name, such as `vars BASE_DOMAIN`, `r2_buckets DOCUMENTS` and `placement`. */
function entriesOf(block: Raw): Map<string, unknown> {
  return new Map(
    Object.entries(block).flatMap(([key, value]): [string, unknown][] => {
      if (key === 'vars') {
        const vars = Object.entries(value as Raw)
        return vars.map(([name, each]) => [`${key} ${name}`, each])
      }
      const isList = Array.isArray(value) && value.every((each) => each?.binding ?? each?.name)
      if (!isList) return [[key, value]]
      return value.map((each) => [`${key} ${each.binding ?? each.name}`, each])
    }),
  )
}

/** What the router takes over. */
function routed(entries: Map<string, unknown>): Map<string, unknown> {
  return new Map([...entries].filter(([name]) => [DOMAIN, COUNTERS].includes(name)))
}

/** Workers that the router leads to and that are no group, such as one whose BASE_DOMAIN is another. */
async function strays(first: string, groups: Environment[]): Promise<string[]> {
  const workers = groups.map(({ worker }) => worker)
  const services = (await readRouter(first))?.services ?? []
  return services
    .filter(({ service }) => !workers.includes(service))
    .map(({ binding, service }) => `services ${binding} (${service} is no group of ${first})`)
}

function differing(own: Map<string, unknown>, other: Map<string, unknown>): string[] {
  const names = new Set([...own.keys(), ...other.keys()])
  return [...names].filter((name) => !isDeepStrictEqual(own.get(name), other.get(name)))
}
