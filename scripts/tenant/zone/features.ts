import * as z from 'zod'
import type { Rule } from './rules.ts'

// What Cloudflare may do to requests and answers of a zone before and after the Worker, and what of it breaks an API.
// Auto Minify is not here: it ended in August 2024 (developers.cloudflare.com/fundamentals/api/reference/deprecations/).

/** What is set, in a few words, and whether that breaks something. */
interface Judgement {
  isSet: string
  isWrong: boolean
}

/** A feature of a zone that can break the API or the dashboard. */
export interface Feature {
  name: string
  /** Below the zone. */
  path: string
  /** What the token needs to read it. */
  permission: string
  /** Null if the answer is not as documented. */
  judge: (answer: unknown) => Judgement | null
  breaks: string
  change: string
  /** What a configuration rule says of the feature for the requests that it matches; null if it says nothing. */
  ruleOn?: (rule: Rule) => boolean | null
}

const Setting = z.object({ value: z.string() })
// Which members there are depends on the plan of the zone.
const Bots = z.object({
  fight_mode: z.boolean().optional(),
  sbfm_definitely_automated: z.string().optional(),
  sbfm_likely_automated: z.string().optional(),
})
const Normalization = z.object({ scope: z.string(), type: z.string() })

const SETTINGS_READ = 'Zone Settings Read'

/** A setting that is on or off. */
function setting(
  id: string,
  feature: Omit<Feature, 'path' | 'permission' | 'judge'>,
  wrong = 'on',
): Feature {
  return {
    ...feature,
    path: `/settings/${id}`,
    permission: SETTINGS_READ,
    judge: (answer) => {
      const { data } = Setting.safeParse(answer)
      return data ? { isSet: data.value, isWrong: data.value === wrong } : null
    },
  }
}

export const FEATURES: Feature[] = [
  setting('browser_check', {
    name: 'Browser Integrity Check',
    breaks:
      'Programs without the User-Agent of a browser get 403 before the Worker sees the request.',
    change: 'Switch it off under Security, Settings, or for the hosts by a configuration rule.',
    ruleOn: ({ parameters: { bic } }) => flagOf(bic),
  }),
  {
    name: 'Bot Fight Mode',
    path: '/bot_management',
    permission: 'Bot Management Read',
    judge: (answer) => {
      const { data } = Bots.safeParse(answer)
      if (!data) return null
      const { fight_mode, sbfm_definitely_automated, sbfm_likely_automated } = data
      const stopped = Object.entries({ sbfm_definitely_automated, sbfm_likely_automated }).filter(
        ([, action = 'allow']) => action !== 'allow',
      )
      const set = [
        ...(fight_mode ? ['on'] : []),
        ...stopped.map(([name, action]) => `${name}: ${action}`),
      ]
      return { isSet: set.join(', ') || 'off', isWrong: set.length > 0 }
    },
    breaks: 'Each client of an API is a bot: it gets a challenge that only a browser can solve.',
    change:
      'Switch it off under Security, Settings, Bot traffic. Only the Super Bot Fight Mode of paid plans can be skipped by a WAF rule.',
  },
  setting(
    'security_level',
    {
      name: 'Security level',
      breaks: '"I\'m under attack" sends every visitor a page with a challenge instead of JSON.',
      change:
        'Choose another level under Security, Settings, or for the hosts by a configuration rule.',
      ruleOn: ({ parameters: { security_level: level } }) =>
        level === undefined ? null : level === 'under_attack',
    },
    'under_attack',
  ),
  setting('email_obfuscation', {
    name: 'Email Address Obfuscation',
    breaks:
      'It changes addresses in pages: the dashboard shows "[email protected]", and forms save that.',
    change: 'Switch it off under Scrape Shield, or for the hosts by a configuration rule.',
    ruleOn: ({ parameters: { email_obfuscation: on } }) => flagOf(on),
  }),
  setting('rocket_loader', {
    name: 'Rocket Loader',
    breaks:
      'It changes the scripts of pages to ones that the dashboard does not allow, so its pages do not work.',
    change: 'Switch it off under Speed, Settings, or for the hosts by a configuration rule.',
    ruleOn: ({ parameters: { rocket_loader: on } }) => flagOf(on),
  }),
  {
    name: 'URL normalization',
    path: '/url_normalization',
    permission: 'Config Settings Read',
    judge: (answer) => {
      const { data } = Normalization.safeParse(answer)
      if (!data) return null
      const { scope, type } = data
      return { isSet: `${type}, ${scope}`, isWrong: scope !== 'none' && type === 'cloudflare' }
    },
    breaks:
      'It makes one slash of several: a client with an empty order number asks for all orders, and is not refused.',
    change: 'Choose the type RFC 3986, or none, under Rules, Settings, Normalization.',
  },
  setting('always_use_https', {
    name: 'Always Use HTTPS',
    breaks:
      'It redirects before the Worker can refuse plain HTTP: nobody learns that a key was sent in the open, and a POST becomes a GET.',
    change: 'Switch it off under SSL/TLS, Edge Certificates.',
  }),
]

function flagOf(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null
}
