import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Page } from '../../engine/json/pagination.ts'
import { PERSON, type ShownPerson } from '../../settings/api-keys/people/kind.ts'
import { personWith } from '../../settings/api-keys/people/queries.ts'
import { findKey } from '../../settings/api-keys/queries.ts'
import { may } from '../access.ts'
import { conflictOf, FormHead } from '../changed/conflict.tsx'
import { RecentChanges, recentChanges } from '../changed/recent.tsx'
import { Confirmation } from '../parts/confirmation.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Empty } from '../parts/empty.tsx'
import { ExistsLink, isDuplicate } from '../parts/exists-link.tsx'
import { fieldTime } from '../parts/field-time.ts'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Heading } from '../parts/heading.tsx'
import { type CsvColumns, PageCsvLink } from '../parts/page-csv.tsx'
import { Pager } from '../parts/pager.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { Time } from '../parts/time.tsx'
import {
  API_KEYS_PATH,
  auditLogPath,
  NEW_PERSON_PATH,
  PEOPLE_PATH,
  pathWith,
  SESSIONS_PATH,
} from '../paths.ts'
import { showNarrowPage } from '../shell/narrow-page.tsx'
import { showPage } from '../shell/page.tsx'
import { type PersonFields, PersonInputs } from './form.tsx'

export type ListedPerson = Omit<ShownPerson, 'version'>

export const PEOPLE_CSV: CsvColumns<ListedPerson> = [
  'id',
  'name',
  'email',
  'role',
  'status',
  'last_used_at',
  'expires_at',
]

export function showPeople(c: Context<AppEnv>, { rows, next_cursor }: Page<ListedPerson>) {
  return showPage(
    c,
    'People',
    <>
      <Heading text="People">
        {may(c, 'settings.people.write') && (
          <a class="button" href={NEW_PERSON_PATH}>
            Add a person
          </a>
        )}
      </Heading>
      {rows.length === 0 ? (
        <Empty text="There are no people yet.">
          <p>
            People sign in as themselves, through Cloudflare Access, and the audit log has their
            names. Without Access, sign in with an API key.{' '}
            {may(c, 'settings.keys.read') && <a href={API_KEYS_PATH}>All API keys</a>}
          </p>
        </Empty>
      ) : (
        <PeopleTable c={c} people={rows} />
      )}
      {rows.length > 0 && <PageCsvLink c={c} />}
      <Pager c={c} next={next_cursor} />
    </>,
  )
}

function PeopleTable({ c, people }: { c: Context<AppEnv>; people: ListedPerson[] }) {
  return (
    <DataTable
      rows={people}
      columns={[
        ['Name', ({ id, name }) => <a href={`${PEOPLE_PATH}${id}/`}>{name}</a>],
        ['E-mail address', ({ email }) => email, 'free'],
        ['Role', ({ role }) => role ?? 'other scopes'],
        ['Status', ({ status }) => <span class={`status ${status}`}>{status}</span>],
        ['Last seen', ({ last_used_at }) => <Time at={last_used_at} none="not in the log" />],
        ['Ends', ({ expires_at }) => <Time at={expires_at} none="never" />],
      ]}
      actions={({ id, name, status }) => (
        <>
          {may(c, 'settings.audit.read') && (
            <RowLink href={auditLogPath({ api_key_id: id })} text="Requests" of={name} />
          )}
          {may(c, 'settings.people.write') && status !== 'revoked' && (
            <RowLink href={`${PEOPLE_PATH}${id}/remove/`} text="Take access away" of={name} />
          )}
        </>
      )}
    />
  )
}

export async function showNewPerson(
  c: Context<AppEnv>,
  fields: PersonFields,
  error: ApiError | null,
) {
  const email = fields.email.trim()
  const id = isDuplicate(error) ? await personWith(c.get('db'), email) : undefined
  return showNarrowPage(
    c,
    'Add a person',
    <form method="post">
      <FormError error={error} />
      <ExistsLink one="person" name={email} href={id && `${PEOPLE_PATH}${id}/`} />
      <PersonInputs c={c} fields={fields} error={error} isNew />
      <FormButtons action="Add person" back={PEOPLE_PATH} />
    </form>,
  )
}

/** `sent` are the submitted values, or null to show the saved ones. */
export async function showPerson(
  c: Context<AppEnv>,
  id: string,
  sent: PersonFields | null,
  error: ApiError | null,
) {
  const [person, changes] = await Promise.all([
    findKey(PERSON, c.get('db'), id),
    error === null ? recentChanges(c, { record_id: id }) : null,
  ])
  const now = savedFields(person)
  const conflict = await conflictOf<PersonFields>(
    c,
    error,
    { record_id: id },
    { now, sent: sent ?? now, formerOf: () => null },
  )
  const shown = conflict?.fields ?? sent ?? now
  const mayWrite = may(c, 'settings.people.write') && person.status !== 'revoked'
  return showPage(
    c,
    person.name,
    <>
      <Heading text={person.name}>
        {may(c, 'settings.keys.read') && (
          <a href={pathWith(SESSIONS_PATH, { api_key_id: id })}>Sessions</a>
        )}
        {may(c, 'settings.audit.read') && <a href={auditLogPath({ api_key_id: id })}>Requests</a>}
        {mayWrite && <a href={`${PEOPLE_PATH}${id}/remove/`}>Take access away</a>}
      </Heading>
      <p>
        {person.email}, {person.role ?? 'with other scopes'},{' '}
        <span class={`status ${person.status}`}>{person.status}</span>
      </p>
      {mayWrite && (
        <article class="narrow">
          <form method="post">
            <FormHead c={c} error={error} conflict={conflict} version={shown.version} />
            <PersonInputs c={c} fields={shown} error={error} isNew={false} />
            <FormButtons action="Save" />
          </form>
        </article>
      )}
      <RecentChanges c={c} record_id={id} changes={changes} />
    </>,
  )
}

function savedFields({ name, role, expires_at, version }: ShownPerson): PersonFields {
  return {
    name,
    email: '',
    role: role ?? '',
    expires_at: fieldTime(expires_at ?? ''),
    version: String(version),
  }
}

export async function showRemoval(c: Context<AppEnv>, id: string, error: ApiError | null) {
  const { name, version } = await findKey(PERSON, c.get('db'), id)
  return showPage(
    c,
    'Take access away',
    <Confirmation
      question={`Take the access of “${name}” away?`}
      action="Take access away"
      look="danger"
      back={`${PEOPLE_PATH}${id}/`}
      version={version}
      error={error}
    >
      <p>
        The next request of each session is refused. The audit log and the history keep the name. To
        let the same person in again later, add the address anew.
      </p>
    </Confirmation>,
  )
}
