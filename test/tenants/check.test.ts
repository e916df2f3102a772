import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { COMMANDS } from '../../scripts/tenant/commands.ts'
import { openEnvironment } from '../../scripts/tenant/environment.ts'
import type { Finding } from '../../scripts/tenant/zone/findings.ts'
import { itInDeep } from '../fixtures/depth.ts'
import { startProject } from '../fixtures/project.ts'
import { emptyAccount, harmlessZone, TOKEN, type ZoneState } from './cloudflare/account.ts'
import { type Api, startApi } from './cloudflare/server.ts'
import { triggerEndpoints } from './cloudflare/triggers.ts'
import { zoneEndpoints } from './cloudflare/zone.ts'
import { tenant } from './operator.ts'

const DOCS = 'https://developers.cloudflare.com'

/** What Cloudflare answers, and where it says so. The stand-in answers the same (test/tenants/cloudflare/zone.ts). */
const DOCUMENTED = [
  {
    call: '/zones/:zone/settings/:setting',
    answer: ['id', 'value', 'modified_on', 'editable'],
    page: `${DOCS}/api/resources/zones/subresources/settings/methods/get`,
  },
  {
    call: '/zones/:zone/bot_management',
    answer: ['enable_js', 'fight_mode', 'using_latest_model'],
    page: `${DOCS}/api/typescript/resources/bot_management/methods/get`,
  },
  {
    call: '/zones/:zone/url_normalization',
    answer: ['scope', 'type'],
    page: `${DOCS}/api/resources/url_normalization/methods/get`,
  },
  {
    call: '/zones/:zone/rulesets/phases/:phase/entrypoint',
    answer: ['id', 'kind', 'name', 'phase', 'version', 'last_updated', 'rules'],
    page: `${DOCS}/ruleset-engine/rulesets-api/endpoints`,
  },
]

const account = emptyAccount()
let api: Api

beforeAll(async () => {
  api = await startApi()
  api.add([...triggerEndpoints(account), ...zoneEndpoints(account)])
  vi.stubEnv('CLOUDFLARE_API_BASE_URL', `${api.origin}/client/v4`)
  vi.stubEnv('CLOUDFLARE_API_TOKEN', TOKEN)
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await api.close()
})

beforeEach(() => {
  Object.assign(account.zone, harmlessZone())
  api.outages.endAll()
  api.calls.length = 0
})

async function check() {
  const environment = await openEnvironment('production')
  const result = await COMMANDS.check?.run(environment, [], {} as never)
  const { findings } = (result?.json ?? { findings: [] }) as { findings: Finding[] }
  return { ...result, findings }
}

/** What is not fine, by its feature. */
function notFine(findings: Finding[]): Record<string, string> {
  const rest = findings.filter(({ state }) => state !== 'fine')
  return Object.fromEntries(rest.map(({ feature, state }) => [feature, state]))
}

const rule = (action: string, action_parameters: object, enabled = true) => ({
  id: 'f174e90fafe04643bbbc4a0ed4fc8415',
  action,
  action_parameters: { ...action_parameters },
  description: 'all of it',
  enabled,
  expression: 'true',
})
const CACHE = 'http_request_cache_settings'
const CONFIGURATION = 'http_config_settings'
const configured = (parameters: object) => ({
  rules: { [CONFIGURATION]: [rule('set_config', parameters)] },
})

interface Case {
  zone: Partial<ZoneState>
  settings?: Record<string, string>
  found: Record<string, string>
  told: string
}

const WRONG: Case[] = [
  {
    zone: {},
    settings: { browser_check: 'on' },
    found: { 'Browser Integrity Check': 'change' },
    told: 'get 403 before the Worker',
  },
  {
    zone: { bots: { fight_mode: true } },
    found: { 'Bot Fight Mode': 'change' },
    told: 'a challenge that only a browser can solve',
  },
  {
    zone: { bots: { sbfm_definitely_automated: 'block', sbfm_likely_automated: 'allow' } },
    found: { 'Bot Fight Mode': 'change' },
    told: 'sbfm_definitely_automated: block',
  },
  {
    zone: { bots: { sbfm_likely_automated: 'managed_challenge' } },
    found: { 'Bot Fight Mode': 'change' },
    told: 'sbfm_likely_automated: managed_challenge',
  },
  {
    zone: {},
    settings: { security_level: 'under_attack' },
    found: { 'Security level': 'change' },
    told: 'a page with a challenge instead of JSON',
  },
  {
    zone: {},
    settings: { email_obfuscation: 'on' },
    found: { 'Email Address Obfuscation': 'change' },
    told: 'under Scrape Shield',
  },
  {
    zone: {},
    settings: { rocket_loader: 'on' },
    found: { 'Rocket Loader': 'change' },
    told: 'under Speed, Settings',
  },
  {
    zone: { normalization: { scope: 'incoming', type: 'cloudflare' } },
    found: { 'URL normalization': 'change' },
    told: 'Choose the type RFC 3986',
  },
  {
    zone: { normalization: { scope: 'both', type: 'cloudflare' } },
    found: { 'URL normalization': 'change' },
    told: 'cloudflare, both',
  },
  {
    zone: {},
    settings: { always_use_https: 'on' },
    found: { 'Always Use HTTPS': 'change' },
    told: 'under SSL/TLS, Edge Certificates',
  },
  {
    zone: { rules: { [CACHE]: [rule('set_cache_settings', { cache: true })] } },
    found: { 'Cache rules': 'change' },
    told: '"all of it" (true)',
  },
  {
    zone: configured({ bic: true }),
    found: { 'Browser Integrity Check': 'change' },
    told: 'off; on by the configuration rule "all of it" (true)',
  },
  {
    zone: configured({ security_level: 'under_attack' }),
    found: { 'Security level': 'change' },
    told: 'Change or delete the rule.',
  },
]

const RIGHT: Case[] = [
  { zone: {}, found: {}, told: 'Nothing has to change.' },
  {
    zone: { normalization: { scope: 'none', type: 'cloudflare' } },
    found: {},
    told: 'Nothing has to change.',
  },
  {
    zone: { rules: { [CACHE]: [rule('set_cache_settings', { cache: true }, false)] } },
    found: {},
    told: 'Nothing has to change.',
  },
  {
    zone: { rules: { [CACHE]: [rule('set_cache_settings', { cache: false })] } },
    found: {},
    told: 'none caches',
  },
  {
    zone: configured({ bic: false }),
    settings: { browser_check: 'on' },
    found: { 'Browser Integrity Check': 'ruled' },
    told: 'See that the rule matches every host of a tenant.',
  },
]

describe('npm run tenant -- check', () => {
  it.each([...WRONG, ...RIGHT])('finds $found where $zone $settings is set', async (given) => {
    const { zone, settings, found, told } = given
    Object.assign(account.zone, zone, { settings: { ...account.zone.settings, ...settings } })
    const { findings, text, isWrong } = await check()
    expect(notFine(findings)).toEqual(found)
    expect(isWrong).toBe(Object.values(found).includes('change'))
    expect(text).toContain(told)
    expect(api.calls.every(({ method }) => method === 'GET')).toBe(true)
  })

  it.each([
    { kind: 'zone.setting', permission: 'Zone Settings Read', unreadable: 5 },
    { kind: 'zone.bots', permission: 'Bot Management Read', unreadable: 1 },
    { kind: 'zone.normalization', permission: 'Config Settings Read', unreadable: 1 },
    { kind: 'zone.rules', permission: 'Cache Settings Read', unreadable: 2 },
  ])('names the permission $permission if the token lacks it', async (given) => {
    const { kind, permission, unreadable } = given
    api.outages.start(kind, { when: 'before', as: 'forbidden' })
    const { findings, text, isWrong } = await check()
    expect(Object.values(notFine(findings))).toEqual(Array(unreadable).fill('unreadable'))
    expect(isWrong).toBe(true)
    expect(text).toContain(`Give it the permission ${permission} for the zone crossdock.example.`)
  })

  it('names the permission to read the zone itself', async () => {
    api.outages.start('zone.list', { when: 'before', as: 'forbidden' })
    await expect(check()).rejects.toThrow('The token needs the permission Zone Read.')
  })

  it.each(['limited', 'error'] as const)('asks again after one %s', async (as) => {
    const outage = api.outages.start('zone.bots', { when: 'before', as, times: 1 })
    const { findings } = await check()
    expect(outage.hits).toBe(1)
    expect(notFine(findings)).toEqual({})
  })

  it.each([
    { as: 'error', hits: 4, told: 'Cloudflare does not say: An unknown error has occurred.' },
    { as: 'blocked', hits: 1, told: 'Cloudflare does not say: Rate limited.' },
  ] as const)('gives up after $hits of $as, and says so', async ({ as, hits, told }) => {
    const outage = api.outages.start('zone.bots', { when: 'before', as })
    const { findings, text } = await check()
    expect(outage.hits).toBe(hits)
    expect(notFine(findings)).toEqual({ 'Bot Fight Mode': 'unreadable' })
    expect(text).toContain(told)
  })

  itInDeep('ends with 1 if something must change, and prints the findings', async () => {
    account.zone.settings.rocket_loader = 'on'
    const project = await startProject()
    try {
      const env = {
        CLOUDFLARE_API_BASE_URL: `${api.origin}/client/v4`,
        CLOUDFLARE_API_TOKEN: TOKEN,
      }
      const { code, stdout } = await tenant(project, ['check', '--env', 'staging', '--json'], env)
      expect([code, notFine(JSON.parse(stdout).findings)]).toEqual([
        1,
        { 'Rocket Loader': 'change' },
      ])
    } finally {
      await project.remove()
    }
  })

  it('says so if an answer is not as documented', async () => {
    account.zone.normalization = {} as never
    const { findings, text } = await check()
    expect(notFine(findings)).toEqual({ 'URL normalization': 'unreadable' })
    expect(text).toContain("Cloudflare's answer is not as documented")
  })
})

describe("the stand-in for Cloudflare's zones", () => {
  it.each(DOCUMENTED)('answers $call as $page says', async ({ call, answer }) => {
    account.zone.rules[CACHE] = []
    const path = call
      .replace(':zone', 'cafe0000cafe0000cafe0000cafe0000')
      .replace(':setting', 'browser_check')
      .replace(':phase', CACHE)
    const headers = { Authorization: `Bearer ${TOKEN}` }
    const response = await fetch(`${api.origin}/client/v4${path}`, { headers })
    const { result } = (await response.json()) as { result: object }
    expect(Object.keys(result)).toEqual(answer)
  })
})
