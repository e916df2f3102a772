import type { Context } from 'hono'
import type { Need } from '../../engine/db/delivery-tables.ts'
import type { AppEnv } from '../../engine/env.ts'
import { inForce } from '../../engine/model/pause.ts'
import type { listKeyAttempts } from '../../requests/key-attempts/queries.ts'
import type { Counted } from '../../requests/overview/counted.ts'
import type { WaitingByReason } from '../../requests/overview/deliveries.ts'
import type { Home } from '../../requests/overview/queries.ts'
import { may } from '../access.ts'
import { count, sum } from '../parts/numbers.ts'
import { deliveriesPath, LINE_DIFFERENCES_PATH, WORKSPACE_PATH } from '../paths.ts'
import { ATTEMPTS_ANCHOR, ENDING_ANCHOR, isOne, type NeedLine, shownCount } from './need-line.ts'
import { doubtNeeds, storeNeeds } from './needs-noticed.ts'
import { pauseNeeds } from './needs-pauses.ts'
import { quietNeeds, refusedNeeds } from './needs-senders.ts'
import { overviewPath } from './view.ts'

type Attempts = Awaited<ReturnType<typeof listKeyAttempts>>

/** The most urgent first. `attempts` are those of the last seven days. */
export function needsOf(c: Context<AppEnv>, home: Home, attempts: Attempts): NeedLine[] {
  const { integration_enabled } = c.get('caller')
  const { database_bytes } = c.get('exchange').meter
  return [
    ...stoppedNeeds(c),
    ...(home.waiting ? waitingNeeds(home.waiting) : []),
    ...attemptNeeds(attempts),
    // While it is off, everybody is refused.
    ...(integration_enabled ? refusedNeeds(home.refused) : []),
    ...storeNeeds(c, home, database_bytes),
    ...quietNeeds(c, home),
    ...doubtNeeds(home),
    ...endingNeeds(home),
    ...differingNeeds(home),
    ...pauseNeeds(c, home.paused),
  ]
}

function stoppedNeeds(c: Context<AppEnv>): NeedLine[] {
  const { integration_enabled, pauses } = c.get('caller')
  const mayChange = may(c, 'settings.workspace.write') && may(c, 'settings.workspace.read')
  const actionAt = (href: string, text: string) =>
    mayChange ? { href, text, of: 'the integration' } : undefined
  if (!integration_enabled) {
    const text = 'calls of partners are refused: the integration is switched off'
    return [{ number: 'All', text, action: actionAt(WORKSPACE_PATH, 'Switch on') }]
  }
  const pause = inForce(pauses.workspace)
  if (!pause) return []
  return [
    {
      number: 'All',
      text: 'calls of partners are on hold: the integration is paused',
      ...(pause.until !== null && { time: { words: 'until', at: pause.until } }),
      action: actionAt(`${WORKSPACE_PATH}pause/`, 'Resume'),
    },
  ]
}

/** In the order of what a person can do about it. */
const WAITS_FOR: [Need, text: string, action: string][] = [
  ['person', 'for a person', 'Decide'],
  ['settings', 'for a change of the mapping or the webhook', 'Correct it'],
  ['product', 'for a product that is not there', 'See which'],
  ['location', 'for a location that is not there', 'See which'],
  ['product_code', 'for an item code of a product', 'See which'],
  ['location_code', 'for an item code of a location', 'See which'],
  ['switch', 'until a pause ends, or the integration is switched on', 'See them'],
  ['time', 'for a later try, which comes by itself', 'See them'],
]

function waitingNeeds({ reasons, ending, next_end }: WaitingByReason): NeedLine[] {
  const endingLine: NeedLine = {
    number: shownCount(ending),
    text: `${isOne(ending) ? 'delivery is' : 'deliveries are'} given up within three days if nothing is done`,
    time: { words: isOne(ending) ? 'on' : 'the first on', at: next_end },
    action: { href: deliveriesPath(), text: 'See them', of: 'all deliveries that wait' },
  }
  const lines = WAITS_FOR.flatMap(([needs, text, action]): NeedLine[] => {
    const found = reasons.find((reason) => reason.needs === needs)
    if (!found) return []
    const { records, oldest_at } = found
    const verb = isOne(records) ? 'delivery waits' : 'deliveries wait'
    return [
      {
        number: shownCount(records),
        text: `${verb} ${text}`,
        time: { words: sinceWords(records), at: oldest_at },
        action: {
          href: deliveriesPath({ needs }),
          text: action,
          of: `deliveries that wait ${text}`,
        },
      },
    ]
  })
  return ending.number > 0 ? [endingLine, ...lines] : lines
}

function sinceWords(counted: Counted): string {
  if (isOne(counted)) return 'since'
  return counted.isMore ? 'some since' : 'the oldest since'
}

function attemptNeeds(attempts: Attempts): NeedLine[] {
  const ended = attempts.filter(({ reason }) => reason === 'revoked' || reason === 'expired')
  const [last] = ended
  if (!last) return []
  const uses = sum(ended.map((attempt) => attempt.count))
  const of = new Set(ended.map(({ hint }) => hint)).size
  const keys = of === 1 ? 'key that has ended was' : 'keys that have ended were'
  const times = uses === 1 ? 'once' : `${count(uses)} times in all`
  const href = `${overviewPath({ range: '7d' })}#${ATTEMPTS_ANCHOR}`
  return [
    {
      number: count(of),
      text: `${keys} used, ${times}`,
      time: { words: 'last', at: last.last_at },
      action: { href, text: 'See which', of: 'keys that have ended' },
    },
  ]
}

const ENDS = {
  key: ['API key ends', 'API keys end'],
  webhook: ['webhook ends', 'webhooks end'],
} as const

function endingNeeds({ ending }: Home): NeedLine[] {
  return ending.map(({ of, keys, first_at }) => {
    const [one, several] = ENDS[of]
    return {
      number: shownCount(keys),
      text: `${isOne(keys) ? one : several} within 14 days`,
      time: { words: isOne(keys) ? 'on' : 'the first on', at: first_at },
      action: { href: `#${ENDING_ANCHOR}-${of}`, text: 'See which', of: `${several} soon` },
    }
  })
}

function differingNeeds({ differing }: Home): NeedLine[] {
  if (!differing) return []
  const { orders, oldest_at } = differing
  return [
    {
      number: shownCount(orders),
      text: isOne(orders)
        ? 'order has other lines than its shop has delivered last'
        : 'orders have other lines than their shops have delivered last',
      time: { words: isOne(orders) ? 'since' : 'the oldest since', at: oldest_at },
      action: { href: LINE_DIFFERENCES_PATH, text: 'Compare', of: 'orders with other lines' },
    },
  ]
}
