import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { DAY_MS, HOUR_MS } from '../../engine/json/date-time.ts'
import type { Home } from '../../requests/overview/queries.ts'
import { REFUSALS_MIN } from '../../requests/overview/senders.ts'
import { may } from '../access.ts'
import { auditLogPath, PARTNERS_PATH } from '../paths.ts'
import type { NeedLine } from './need-line.ts'

/** The partner's page has the check-up, which says more. */
export function quietNeeds(c: Context<AppEnv>, { quiet, read_at }: Home): NeedLine[] {
  return quiet.map(({ partner_id, partner_name, key_name, last_at, usual_ms }) => ({
    number: inWords(Date.parse(read_at) - Date.parse(last_at)),
    text: `without a request of ${partner_name}, which usually sends within ${inWords(usual_ms)} (“${key_name}”)`,
    time: { words: 'since', at: last_at },
    action: may(c, 'settings.partners.read')
      ? { href: `${PARTNERS_PATH}${partner_id}/`, text: 'Open', of: partner_name }
      : { href: auditLogPath({ partner_id }), text: 'Requests', of: `of ${partner_name}` },
  }))
}

export function refusedNeeds(refused: Home['refused']): NeedLine[] {
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
