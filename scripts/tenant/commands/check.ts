import { Failure } from '../../failure.ts'
import type { Command, Result } from '../command.ts'
import { CONFIG } from '../config-file.ts'
import { readRouter, routesOf } from '../config-groups.ts'
import type { Environment } from '../environment.ts'
import { step } from '../progress.ts'
import { type Finding, findingsOf } from '../zone/findings.ts'
import { zonesOf } from '../zone/zones.ts'

export const check: Command = {
  parameters: '',
  summary: 'look for features of the domain at Cloudflare that break an API; changes nothing',
  options: [],
  run: async (environment) => {
    const { first } = environment
    if (first === null) {
      throw new Failure('check looks at a domain at Cloudflare: add --env.', 2)
    }
    const routes = [...(await routesOf(first)), ...((await readRouter(first))?.routes ?? [])]
    if (routes.length === 0) throw new Failure(`[env.${first}] in ${CONFIG} has no routes.`)
    const zones = await step('Looking for the zone', () => zonesOf(environment, routes))
    const findings: Finding[] = []
    for (const zone of zones) {
      const of = () => findingsOf(environment, zone)
      findings.push(...(await step(`Reading what ${zone.name} has set`, of)))
    }
    return resultOf(environment, findings)
  },
}

function resultOf(environment: Environment, findings: Finding[]): Result {
  const wrong = findings.filter(({ state }) => state === 'change' || state === 'unreadable')
  const width = Math.max(...findings.map(({ feature }) => feature.length))
  const lines = findings.flatMap((finding) => linesOf(finding, width))
  const end =
    wrong.length === 0
      ? 'Nothing has to change.'
      : `To change or to look at: ${wrong.length} of ${findings.length}.`
  return {
    text: [...lines, '', end].join('\n'),
    json: { environment: environment.name, findings },
    isWrong: wrong.length > 0,
  }
}

const WORDS = { fine: 'ok', change: 'CHANGE', ruled: 'ok?', unreadable: 'UNKNOWN' }

function linesOf({ zone, feature, state, is_set, breaks, change }: Finding, width: number) {
  const head = [WORDS[state].padEnd(7), zone, feature.padEnd(width), is_set ?? '-'].join('  ')
  return [head, ...[breaks, change].filter((line) => line !== null).map((line) => `    ${line}`)]
}
