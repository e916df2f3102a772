import type { Context } from 'hono'
import type { Need } from '../../engine/db/delivery-tables.ts'
import type { PartnerDoubt } from '../../engine/db/tables.ts'
import type { AppEnv } from '../../engine/env.ts'
import { DAY_MS, HOUR_MS } from '../../engine/json/date-time.ts'
import { inForce } from '../../engine/model/pause.ts'
import type { listKeyAttempts } from '../../requests/key-attempts/queries.ts'
import type { Counted } from '../../requests/overview/counted.ts'
import type { WaitingByReason } from '../../requests/overview/deliveries.ts'
import type { Home } from '../../requests/overview/queries.ts'
import { REFUSALS_MIN } from '../../requests/overview/senders.ts'
import { may } from '../access.ts'
import { count, sum } from '../parts/numbers.ts'
import {
  auditLogPath,
  deliveriesPath,
  LINE_DIFFERENCES_PATH,
  PARTNERS_PATH,
  WORKSPACE_PATH,
} from '../paths.ts'
import { ATTEMPTS_ANCHOR, ENDING_ANCHOR, isOne, type NeedLine, shownCount } from './need-line.ts'
import { pauseNeeds } from './needs-pauses.ts'
import { overviewPath } from './view.ts'

type Attempts = Awaited<ReturnType<typeof listKeyAttempts>>

/** The most urgent first. `attempts` are those of the last seven days. */
export function needsOf(c: Context<AppEnv>, home: Home, attempts: Attempts): NeedLine[] {
  const { integration_enabled } = c.get('caller')
  const { database_bytes } = c.get('exchange').meter
  const lines = [
    stoppedNeed(c),
    ...(home.waiting ? waitingNeeds(home.waiting) : []),
    attemptNeed(attempts),
    // While it is off, everybody is refused.
    ...(integration_enabled ? refusedNeeds(home.refused) : []),
    ...storeNeeds(c, home, database_bytes),
    ...quietNeeds(c, home),
    ...doubtNeeds(home),
    ...endingNeeds(home),
    differingNeed(home),
    ...pauseNeeds(c, home.paused),
  ]
  return lines.filter((line) => line !== null)
}

function stoppedNeed(c: Context<AppEnv>): NeedLine | null {
  const { integration_enabled, pauses } = c.get('caller')
  const mayChange = may(c, 'settings.workspace.write') && may(c, 'settings.workspace.read')
  const actionAt = (href: string, text: string) =>
    mayChange ? { href, text, of: 'the integration' } : undefined
  if (!integration_enabled) {
    const text = 'calls of partners are refused: the integration is switched off'
    return { number: 'All', text, action: actionAt(WORKSPACE_PATH, 'Switch on') }
  }
  const pause = inForce(pauses.workspace)
  if (!pause) return null
  return {
    number: 'All',
    text: 'calls of partners are on hold: the integration is paused',
    ...(pause.until !== null && { time: { words: 'until', at: pause.until } }),
    action: actionAt(`${WORKSPACE_PATH}pause/`, 'Resume'),
  }
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

function attemptNeed(attempts: Attempts): NeedLine | null {
  const ended = attempts.filter(({ reason }) => reason === 'revoked' || reason === 'expired')
  const [last] = ended
  if (!last) return null
  const uses = sum(ended.map((attempt) => attempt.count))
  const of = new Set(ended.map(({ hint }) => hint)).size
  const keys = of === 1 ? 'key that has ended was' : 'keys that have ended were'
  const times = uses === 1 ? 'once' : `${count(uses)} times in all`
  const href = `${overviewPath({ range: '7d' })}#${ATTEMPTS_ANCHOR}`
  return {
    number: count(of),
    text: `${keys} used, ${times}`,
    time: { words: 'last', at: last.last_at },
    action: { href, text: 'See which', of: 'keys that have ended' },
  }
}

/** The partner's page has the check-up, which says more. */
function quietNeeds(c: Context<AppEnv>, { quiet, read_at }: Home): NeedLine[] {
  return quiet.map(({ partner_id, partner_name, key_name, last_at, usual_ms }) => ({
    number: inWords(Date.parse(read_at) - Date.parse(last_at)),
    text: `without a request of ${partner_name}, which usually sends within ${inWords(usual_ms)} (“${key_name}”)`,
    time: { words: 'since', at: last_at },
    action: may(c, 'settings.partners.read')
      ? { href: `${PARTNERS_PATH}${partner_id}/`, text: 'Open', of: partner_name }
      : { href: auditLogPath({ partner_id }), text: 'Requests', of: `of ${partner_name}` },
  }))
}

function refusedNeeds(refused: Home['refused']): NeedLine[] {
  return refused.map(({ partner_id, partner_name, key_id, key_name, since }) => ({
    number: `${REFUSALS_MIN}+`,
    text: `requests of ${partner_name} in a row were refused (“${key_name}”)`,
    time: { words: 'since', at: since },
    action: {
      href: auditLogPath({ partner_id, api_key_id: key_id, status: '4xx' }),
      text: 'See why',
      of: `requests of ${partner_name} were refused`,
    },
  }))
}

/** Rounded down: `3 days`, `8 hours`. */
function inWords(ms: number): string {
  const [size, unit] = ms >= 2 * DAY_MS ? [DAY_MS, 'day'] : [HOUR_MS, 'hour']
  const number = Math.max(1, Math.floor(ms / size))
  return `${number} ${unit}${number === 1 ? '' : 's'}`
}

const DOUBTS: Record<PartnerDoubt, string> = {
  mapping_refused: 'a mapping that would be refused if it were saved today',
  field_refused: 'a field that is refused again and again',
  same_document: 'a record that is refused each time it is sent',
  no_cursor: 'a list of which only the first page is read',
  release_ending: 'a release of the API that ends',
}

/** What the daily check-up has found. The partner's page has the findings of now. */
function doubtNeeds({ doubted }: Home): NeedLine[] {
  return doubted.map(({ partner_id, partner_name, checked_at, kinds }) => ({
    number: String(kinds.length),
    text: `${kinds.length === 1 ? 'finding' : 'findings'} in the check-up of ${partner_name}: ${kinds.map((kind) => DOUBTS[kind]).join('; ')}`,
    time: { words: 'found', at: checked_at },
    action: { href: `${PARTNERS_PATH}${partner_id}/`, text: 'Open', of: partner_name },
  }))
}

/** D1 takes no database beyond it. https://developers.cloudflare.com/d1/platform/limits/ */
const DATABASE_BYTES_MAX = 10_000_000_000
/** In per cent. Operators are told from 70 on. */
const FULL_FROM = 80

/** For whoever looks after the workspace: a full database, an old backup. */
function storeNeeds(
  c: Context<AppEnv>,
  { backed_up_at, read_at }: Home,
  database_bytes: number | null,
): (NeedLine | null)[] {
  if (!may(c, 'settings.workspace.read')) return []
  return [
    fullNeed(database_bytes ?? 0, may(c, 'settings.workspace.write')),
    backupNeed(backed_up_at, read_at),
  ]
}

function fullNeed(bytes: number, mayChange: boolean): NeedLine | null {
  const full = Math.floor((bytes / DATABASE_BYTES_MAX) * 100)
  if (full < FULL_FROM) return null
  return {
    number: `${full}%`,
    text: 'of the database of this workspace is full. Keep less of the audit log, or ask whoever operates the service',
    action: mayChange
      ? { href: WORKSPACE_PATH, text: 'Keep less', of: 'the audit log' }
      : undefined,
  }
}

/** Backups are taken each night. One that failed once is not old. */
const BACKUP_MS = 3 * DAY_MS

function backupNeed(backed_up_at: string | null, read_at: string): NeedLine | null {
  if (backed_up_at === null) return null
  const age = Date.parse(read_at) - Date.parse(backed_up_at)
  if (age < BACKUP_MS) return null
  return {
    number: `${Math.floor(age / DAY_MS)} days`,
    text: 'without a backup. Ask whoever operates the service',
    time: { words: 'the last', at: backed_up_at },
  }
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

function differingNeed({ differing }: Home): NeedLine | null {
  if (!differing) return null
  const { orders, oldest_at } = differing
  return {
    number: shownCount(orders),
    text: isOne(orders)
      ? 'order has other lines than its shop has delivered last'
      : 'orders have other lines than their shops have delivered last',
    time: { words: isOne(orders) ? 'since' : 'the oldest since', at: oldest_at },
    action: { href: LINE_DIFFERENCES_PATH, text: 'Compare', of: 'orders with other lines' },
  }
}
