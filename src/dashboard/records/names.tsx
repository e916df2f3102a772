import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Scope } from '../../engine/identity/scopes.ts'
import { type CallerKind, liveAmong } from '../../settings/live-names.ts'
import type { NamedPartner } from '../../settings/partners/queries.ts'
import { may } from '../access.ts'
import { API_KEYS_PATH, PARTNERS_PATH, PEOPLE_PATH, WEBHOOKS_PATH } from '../paths.ts'

/** Where the names of keys, webhooks, people and partners lead, by id: no page that the session's key may not see. */
export interface NameLinks {
  callers: ReadonlyMap<string, string>
  partners: ReadonlyMap<string, string>
}

type Ids = Iterable<string | null | undefined>

const PAGES: Record<CallerKind, { path: string; scopes: readonly Scope[] }> = {
  // The page of a key is the form that changes it.
  key: { path: API_KEYS_PATH, scopes: ['settings.keys.read', 'settings.keys.write'] },
  webhook: { path: WEBHOOKS_PATH, scopes: ['settings.keys.read'] },
  person: { path: PEOPLE_PATH, scopes: ['settings.people.read'] },
}

/** For names with these ids. */
export async function nameLinks(
  c: Context<AppEnv>,
  { keys = [], partners = [] }: { keys?: Ids; partners?: Ids },
): Promise<NameLinks> {
  const seesCallers = may(c, 'settings.keys.read') || may(c, 'settings.people.read')
  const asked = {
    keys: seesCallers ? distinct(keys) : [],
    partners: may(c, 'settings.partners.read') ? distinct(partners) : [],
  }
  if (asked.keys.length + asked.partners.length === 0) return NO_LINKS
  const live = await liveAmong(c.get('db'), asked)
  const callers = [...live.callers].flatMap(([id, kind]): [string, string][] => {
    const page = callerPage(c, kind, id)
    return page === undefined ? [] : [[id, page]]
  })
  const own = [...live.partners].map((id): [string, string] => [id, `${PARTNERS_PATH}${id}/`])
  return { callers: new Map(callers), partners: new Map(own) }
}

/** The page of a key, webhook or person that is there; undefined if the session's key may not see it. */
export function callerPage(c: Context<AppEnv>, kind: CallerKind, id: string): string | undefined {
  const { path, scopes } = PAGES[kind]
  return scopes.every((scope) => may(c, scope)) ? `${path}${id}/` : undefined
}

export const NO_LINKS: NameLinks = { callers: new Map(), partners: new Map() }

interface NameProps {
  links: NameLinks
  id: string | null
  name: string | null
}

/** The name of a key, a webhook or a person. */
export function CallerName({ links, id, name }: NameProps) {
  return <Name href={links.callers.get(id ?? '')} text={name ?? id} />
}

/** The name of a partner; of one without a name, its id. */
export function PartnerName({ links, id, name }: NameProps) {
  return <Name href={links.partners.get(id ?? '')} text={name ?? id} />
}

interface KnownPartner {
  id: string
  /** As the database names it; undefined if the session's key may not see it. */
  known: Pick<NamedPartner, 'name' | 'isDeleted'> | undefined
}

/** A partner that has been read: its name, or its id in place of a name that the session's key may not see. */
export function KnownPartnerName({ id, known }: KnownPartner) {
  const href = known && !known.isDeleted ? `${PARTNERS_PATH}${id}/` : undefined
  return <Name href={href} text={known?.name ?? id} />
}

function Name({ href, text }: { href: string | undefined; text: string | null }) {
  return href === undefined ? text : <a href={href}>{text}</a>
}

function distinct(ids: Ids): string[] {
  return [...new Set([...ids].filter((id) => typeof id === 'string'))]
}
