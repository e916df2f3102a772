import { and, eq, isNull } from 'drizzle-orm'
import { qb } from '../../../engine/db/prepared.ts'
import { apiKeys } from '../../../engine/db/tables.ts'
import type { TenantDatabase } from '../../../engine/db/transact.ts'
import type { Caller } from '../../../engine/identity/caller.ts'
import { ROLES } from '../../../engine/identity/roles.ts'
import type { Versions } from '../../versions.ts'
import { createKey, updateKey } from '../queries.ts'
import { PERSON, personColumns } from './kind.ts'
import type { CreatePerson, UpdatePerson } from './schema.ts'

/** As createKey; 409 DUPLICATE if a person has the address. The value of the key is told to nobody. */
export async function createPerson(db: TenantDatabase, caller: Caller, input: CreatePerson) {
  const scopes = [...ROLES[input.role]]
  const { key, ...person } = await createKey(PERSON, db, caller, {
    ...personColumns(input),
    scopes,
  })
  return person
}

/** The id of the person with this address; undefined without one. */
export async function personWith(db: TenantDatabase, email: string): Promise<string | undefined> {
  const { id, revoked_at } = apiKeys
  const isPerson = and(eq(apiKeys.email, email.toLowerCase()), isNull(revoked_at))
  const [[row]] = await db.read([qb.select({ id }).from(apiKeys).where(isPerson)])
  return row?.id
}

/** As updateKey. */
export async function updatePerson(
  db: TenantDatabase,
  caller: Caller,
  id: string,
  input: UpdatePerson,
  versions?: Versions,
) {
  return await updateKey(PERSON, db, caller, id, personColumns(input), versions)
}
