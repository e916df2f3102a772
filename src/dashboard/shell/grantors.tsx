import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { hideKeys } from '../../engine/identity/key.ts'
import { inTime } from '../../engine/limits/deadline.ts'
import {
  findGrantors,
  type Grantor,
  mayKnowPeople,
  rolesWith,
} from '../../settings/api-keys/grantors.ts'
import { may } from '../access.ts'
import { API_KEYS_PATH, PEOPLE_PATH } from '../paths.ts'

const READ_MS_MAX = 2000

/** Who can give the scope to the caller of the page; null if the database does not answer in time, or the caller may not know. */
export async function grantorsOf(c: Context<AppEnv>, scope: string): Promise<Grantor[] | null> {
  const { db, caller } = c.var
  if (!mayKnowPeople(caller)) return null
  return await inTime(findGrantors(db, caller, scope), READ_MS_MAX).catch(() => null)
}

interface GrantorsProps {
  c: Context<AppEnv>
  scope: string
  grantors: Grantor[] | null
}

/** The roles that have the scope, and who can give it. A partner's key learns nothing about people. */
export function Grantors({ c, scope, grantors }: GrantorsProps) {
  if (!mayKnowPeople(c.get('caller'))) return <p>Ask the warehouse that gave you the key.</p>
  const isPerson = c.get('caller').key.is_person
  return (
    <p>
      {isPerson ? 'The ' : 'Of people, the '}
      {rolesText(rolesWith(scope))}{' '}
      {grantors !== null &&
        (grantors.length > 0 ? (
          <Names c={c} grantors={grantors} />
        ) : (
          'Only the operator of this Crossdock can give it to you.'
        ))}
    </p>
  )
}

function Names({ c, grantors }: Pick<GrantorsProps, 'c'> & { grantors: Grantor[] }) {
  return (
    <>
      {grantors.map((grantor, place) => (
        <>
          {place > 0 && (place === grantors.length - 1 ? ' or ' : ', ')}
          <Name c={c} grantor={grantor} />
        </>
      ))}{' '}
      can give it to you.
    </>
  )
}

function Name({ c, grantor: { id, name, is_person } }: { c: Context<AppEnv>; grantor: Grantor }) {
  const text = hideKeys(name)
  const isSeen = may(c, is_person ? 'settings.people.read' : 'settings.keys.read')
  return (
    <>
      {!is_person && 'the key '}
      {isSeen ? <a href={`${is_person ? PEOPLE_PATH : API_KEYS_PATH}${id}/`}>{text}</a> : text}
    </>
  )
}

function rolesText(roles: readonly string[]): string {
  return roles.length === 1 ? `role ${roles[0]} has it.` : `roles ${listed(roles)} have it.`
}

function listed(names: readonly string[]): string {
  return names.length < 3
    ? names.join(' and ')
    : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
