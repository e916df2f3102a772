import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Scope } from '../../engine/identity/scopes.ts'
import { countedTo } from '../../requests/overview/counted.ts'
import { PAUSED_MAX, type Paused } from '../../requests/overview/settings.ts'
import { may } from '../access.ts'
import { API_KEYS_PATH, PARTNERS_PATH, WEBHOOKS_PATH, webhookPath } from '../paths.ts'
import { isOne, type NeedLine, shownCount } from './need-line.ts'

interface Kind {
  kind: Paused['kind']
  one: string
  several: string
  list: string
  pageOf: (id: string) => string
  /** What it takes to end the pause. */
  scope: Scope
}

const KINDS: Kind[] = [
  {
    kind: 'partner',
    one: 'partner is paused',
    several: 'partners are paused',
    list: PARTNERS_PATH,
    pageOf: (id) => `${PARTNERS_PATH}${id}/`,
    scope: 'settings.partners.write',
  },
  {
    kind: 'key',
    one: 'API key is paused',
    several: 'API keys are paused',
    list: API_KEYS_PATH,
    pageOf: (id) => `${API_KEYS_PATH}${id}/`,
    scope: 'settings.keys.write',
  },
  {
    kind: 'webhook',
    one: 'webhook is paused',
    several: 'webhooks are paused',
    list: WEBHOOKS_PATH,
    pageOf: webhookPath,
    scope: 'settings.keys.write',
  },
]

/** So many are named. */
const NAMED_MAX = 3

/** Of partners, keys and webhooks. Keys and webhooks are counted together. */
export function pauseNeeds(c: Context<AppEnv>, paused: Paused[]): NeedLine[] {
  const isFull = paused.filter(({ kind }) => kind !== 'partner').length >= PAUSED_MAX
  return KINDS.flatMap(({ kind, one, several, list, pageOf, scope }): NeedLine[] => {
    const found = paused.filter((each) => each.kind === kind)
    const [first, next] = found
    if (!first) return []
    const mayResume = may(c, scope)
    const counted = countedTo(found.length, PAUSED_MAX)
    const isMore = counted.isMore || (kind !== 'partner' && isFull)
    const orders = { number: found.length, isMore }
    const names = found.slice(0, NAMED_MAX).map(({ name }) => name)
    const more = found.length > names.length || isMore ? ' …' : ''
    return [
      {
        number: shownCount(orders),
        text: `${isOne(orders) ? one : several}: ${names.join(', ')}${more}`,
        ...(first.until !== null && {
          time: { words: next ? 'the first until' : 'until', at: first.until },
        }),
        action: {
          // The page of a key is its form.
          href: next || (kind === 'key' && !mayResume) ? list : pageOf(first.id),
          text: mayResume ? 'Resume' : 'Look at',
          of: next ? `what is paused: ${several}` : first.name,
        },
      },
    ]
  })
}
