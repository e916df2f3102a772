import { Failure } from '../../failure.ts'
import { type Answer, callCloudflare, reasonOf } from '../cloudflare-api.ts'
import type { Environment } from '../environment.ts'
import { FEATURES, type Feature } from './features.ts'
import { caches, PHASES, type Rule, rulesIn } from './rules.ts'

/** What was found of a feature of a zone. */
export interface Finding {
  zone: string
  feature: string
  /** `unreadable`: Cloudflare does not say. `ruled`: it is on, and a configuration rule switches it off for some requests. */
  state: 'fine' | 'change' | 'ruled' | 'unreadable'
  /** What is set; null if it could not be read. */
  is_set: string | null
  breaks: string | null
  /** What to do; null if nothing. */
  change: string | null
}

interface Zone {
  id: string
  name: string
}

/** All features of the zone, in the order in which a request meets them. */
export async function findingsOf(environment: Environment, zone: Zone): Promise<Finding[]> {
  const read = (path: string) => readZone(environment, zone, path)
  const configuration = rulesOf(await read(PHASES.configuration.path))
  const rules = Array.isArray(configuration) ? configuration : []
  const found: Finding[] = []
  for (const feature of FEATURES) found.push(judged(feature, zone, await read(feature.path), rules))
  const cached = rulesOf(await read(PHASES.cache.path))
  return [
    ...found,
    Array.isArray(cached)
      ? cacheFinding(zone, cached)
      : unreadable(zone, 'Cache rules', PHASES.cache.permission, cached),
    ...(Array.isArray(configuration)
      ? []
      : [unreadable(zone, 'Configuration rules', PHASES.configuration.permission, configuration)]),
  ]
}

function judged(feature: Feature, zone: Zone, answer: Answer, rules: Rule[]): Finding {
  const { name, permission, judge, breaks, change, ruleOn } = feature
  if (!answer.success) return unreadable(zone, name, permission, answer)
  const judgement = judge(answer.result)
  if (!judgement) return unreadable(zone, name, permission, answer)
  const { isSet, isWrong } = judgement
  const own = rules.map((rule) => ({ rule, on: ruleOn?.(rule) ?? null }))
  const on = own.filter((each) => each.on === true).map(({ rule }) => rule)
  const off = own.filter((each) => each.on === false).map(({ rule }) => rule)
  const place = { zone: zone.name, feature: name }
  if (on.length > 0) {
    const is_set = `${isSet}; on by the configuration rule ${shownRules(on)}`
    return { ...place, state: 'change', is_set, breaks, change: 'Change or delete the rule.' }
  }
  if (!isWrong) return { ...place, state: 'fine', is_set: isSet, breaks: null, change: null }
  if (off.length === 0) return { ...place, state: 'change', is_set: isSet, breaks, change }
  const is_set = `${isSet}; off by the configuration rule ${shownRules(off)}`
  const look = 'See that the rule matches every host of a tenant.'
  return { ...place, state: 'ruled', is_set, breaks, change: look }
}

function cacheFinding(zone: Zone, rules: Rule[]): Finding {
  const place = { zone: zone.name, feature: 'Cache rules' }
  const wrong = rules.filter(caches)
  if (wrong.length === 0) {
    return { ...place, state: 'fine', is_set: 'none caches', breaks: null, change: null }
  }
  return {
    ...place,
    state: 'change',
    is_set: shownRules(wrong),
    breaks:
      'A cached answer would reach callers with other keys. The Worker stands before the cache of the zone, and only that prevents it.',
    change: 'Leave the hosts of tenants out of the rule, under Caching, Cache Rules.',
  }
}

/** Null: the zone has no such ruleset, because it has never had a rule. */
function rulesOf(answer: Answer): Rule[] | Answer {
  if (answer.status === 404) return []
  return (answer.success ? rulesIn(answer.result) : null) ?? answer
}

function shownRules(rules: Rule[]): string {
  return rules.map(({ name, expression }) => `"${name}" (${expression})`).join(', ')
}

function unreadable({ name }: Zone, feature: string, permission: string, answer: Answer): Finding {
  const change = whyUnreadable(answer, permission, name)
  return { zone: name, feature, state: 'unreadable', is_set: null, breaks: null, change }
}

function whyUnreadable(answer: Answer, permission: string, zone: string): string {
  if (answer.success) return "Cloudflare's answer is not as documented: look at it by hand."
  const isRefused = answer.status === 401 || answer.status === 403
  return isRefused
    ? `The token may not read it. Give it the permission ${permission} for the zone ${zone}.`
    : `Cloudflare does not say: ${reasonOf(answer)} Run it again.`
}

async function readZone(environment: Environment, { id, name }: Zone, path: string) {
  try {
    const request = { method: 'GET', path: `/zones/${id}${path}`, isGlobal: true } as const
    return await callCloudflare(environment, request)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new Failure(`${path.slice(1)} of ${name} cannot be read: ${error.message}`)
  }
}
