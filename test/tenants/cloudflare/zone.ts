import { type Account, ZONE } from './account.ts'
import { type Endpoint, endpoint, Refusal, success } from './call.ts'

/** What a zone has set. The pages that document each answer are in test/tenants/check.test.ts. */
export function zoneEndpoints({ zone }: Account): Endpoint[] {
  return [
    endpoint(
      'zone.setting',
      'GET',
      '/zones/:zone/settings/:setting',
      ({ params: { setting: id = '' } }) => {
        const value = zone.settings[id]
        if (value === undefined) throw new Refusal(400, 1007, `Undefined zone setting: ${id}`)
        return success({ id, value, modified_on: null, editable: true })
      },
    ),
    endpoint('zone.bots', 'GET', '/zones/:zone/bot_management', () => success(zone.bots)),
    endpoint('zone.normalization', 'GET', '/zones/:zone/url_normalization', () =>
      success(zone.normalization),
    ),
    endpoint(
      'zone.rules',
      'GET',
      '/zones/:zone/rulesets/phases/:phase/entrypoint',
      ({ params: { phase = '' } }) => {
        const rules = zone.rules[phase]
        if (!rules) {
          const message = `could not find entrypoint ruleset in the ${phase} phase`
          throw new Refusal(404, 10003, message)
        }
        const version = { version: '1', last_updated: '2026-11-01T00:00:00Z' }
        return success({ id: ZONE.id, kind: 'zone', name: 'default', phase, ...version, rules })
      },
    ),
  ]
}
