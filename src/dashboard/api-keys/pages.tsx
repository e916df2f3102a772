import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Page } from '../../engine/json/pagination.ts'
import { listKeyAttempts } from '../../requests/key-attempts/queries.ts'
import { API_KEY } from '../../settings/api-keys/kind.ts'
import { findKey } from '../../settings/api-keys/queries.ts'
import { type NamedPartner, namePartners } from '../../settings/partners/queries.ts'
import { beyondOwn, type GrantedKey, may } from '../access.ts'
import { ConflictPanel, conflictOf } from '../changed/conflict.tsx'
import { RecentChanges, recentChanges } from '../changed/recent.tsx'
import { curlOf } from '../curl.ts'
import { partnersOf } from '../form/choices.ts'
import type { Form } from '../form/form.ts'
import { VERSION, VersionField } from '../form/version.tsx'
import { Confirmation } from '../parts/confirmation.tsx'
import { CopyField } from '../parts/copy-field.tsx'
import { Empty } from '../parts/empty.tsx'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Heading } from '../parts/heading.tsx'
import { Input } from '../parts/input.tsx'
import { Pager } from '../parts/pager.tsx'
import { API_KEYS_PATH } from '../paths.ts'
import { showPage } from '../shell/page.tsx'
import {
  choicesOfKey,
  fieldsOfChoices,
  fieldsOfRecord,
  formerKey,
  type KeyFields,
} from './fields.ts'
import { KeyForm } from './form.tsx'
import { KeyTable } from './list.tsx'
import { OwnKey } from './own-key.tsx'
import type { KeyRecord } from './record.ts'

interface NamedKey extends GrantedKey {
  id: string
  hint: string
  name: string
  version: number
}

interface CreatedKey {
  name: string
  key: string
  scopes: string[]
}

export async function showKeys(c: Context<AppEnv>, { rows, next_cursor }: Page<KeyRecord>) {
  const ids = rows.flatMap(({ partner_id }) => partner_id ?? [])
  const partners = may(c, 'settings.partners.read')
    ? await namePartners(c.get('db'), ids)
    : new Map<string, NamedPartner>()
  const attempts = await listKeyAttempts(c.get('db'), { reason: 'plain_http' })
  const exposed = new Map(attempts.map(({ hint, last_at }) => [hint, last_at]))
  return showPage(
    c,
    'API keys',
    <>
      <Heading text="API keys">
        {may(c, 'settings.keys.write') && (
          <a class="button" href={'/dashboard/new/api-key/'}>
            Create key
          </a>
        )}
      </Heading>
      {rows.length === 0 ? (
        <Empty text="There are no API keys." />
      ) : (
        <KeyTable c={c} keys={rows} partners={partners} exposed={exposed} />
      )}
      <Pager c={c} next={next_cursor} />
    </>,
  )
}

/** The form for a new key or, if the path has an id, for an existing one. */
export async function showKeyForm(c: Context<AppEnv>, fields: KeyFields, error: ApiError | null) {
  const id = c.req.param('id')
  const isNew = id === undefined
  const isConflict = id !== undefined && error?.code === 'PRECONDITION_FAILED'
  const now = isConflict ? fieldsOfRecord(await findKey(API_KEY, c.get('db'), id)) : fields
  const changes =
    id !== undefined && error === null ? await recentChanges(c, { record_id: id }) : null
  const conflict = await conflictOf(
    c,
    error,
    { record_id: id ?? '' },
    {
      now: choicesOfKey(now),
      sent: choicesOfKey(fields),
      formerOf: formerKey,
    },
  )
  const title = isNew ? 'Create an API key' : 'Edit API key'
  return showPage(
    c,
    title,
    <>
      <article class="narrow">
        <h1>{title}</h1>
        <KeyForm
          c={c}
          fields={conflict ? fieldsOfChoices(conflict.fields) : fields}
          partners={await partnersOf(c)}
          error={error}
          conflict={conflict}
          action={isNew ? 'Create key' : 'Save'}
        />
      </article>
      {id !== undefined && <RecentChanges c={c} record_id={id} changes={changes} />}
    </>,
  )
}

/** Shows the value of a new key, once. A reload opens the list of keys and creates no second key. */
export function showCreatedKey(c: Context<AppEnv>, { name, key, scopes }: CreatedKey, more = '') {
  const curl = curlOf(c, key, scopes)
  c.status(201)
  return showPage(
    c,
    'API key created',
    <article class="created" data-address={API_KEYS_PATH}>
      <h1>API key “{name}” created</h1>
      <p role="status">
        Copy the key now: it is not shown again, and only its hash is stored. {more}
      </p>
      <CopyField label="API key" value={key} />
      {curl && <CopyField label="Try it" value={curl} />}
      <a class="button" href={API_KEYS_PATH}>
        I have copied it
      </a>
    </article>,
  )
}

export async function showRevocation(c: Context<AppEnv>, id: string, error: ApiError | null) {
  const { name, hint, version } = await findKey(API_KEY, c.get('db'), id)
  return showPage(
    c,
    'Revoke API key',
    <Confirmation
      question={`Revoke “${name}”?`}
      action="Revoke key"
      look="danger"
      back={API_KEYS_PATH}
      version={version}
      error={error}
    >
      <p>
        The next request with <code>{hint}</code> is refused. This cannot be undone.
      </p>
      <OwnKey c={c} id={id} text="you will be signed out." />
    </Confirmation>,
  )
}

/** Whether the rename form was sent: the full form of a key has an `access` field. */
export function isRenaming(form: Form): boolean {
  return !form.has('access')
}

/** The form for a key that the session's key may not grant. It changes only the name. `sent` is null if it was not sent. */
export async function showRenaming(
  c: Context<AppEnv>,
  record: NamedKey,
  sent: Form | null,
  error: ApiError | null,
) {
  const now = { name: record.name, version: String(record.version) }
  const given = sent ? { name: sent.text('name'), version: sent.text(VERSION) } : now
  const conflict = await conflictOf(
    c,
    error,
    { record_id: record.id },
    {
      now,
      sent: given,
      formerOf: formerKey,
    },
  )
  const shown = conflict?.fields ?? given
  return showPage(
    c,
    'Rename API key',
    <article class="narrow">
      <h1>Rename API key</h1>
      <p>
        <code>{record.hint}</code> {reasonFor(c, record)} You can only rename, pause or revoke it.
      </p>
      <form method="post">
        {!conflict && <FormError error={error} />}
        <ConflictPanel c={c} conflict={conflict} at={c.get('exchange').path} />
        <VersionField version={shown.version} />
        <Input
          label="Name"
          name="name"
          value={shown.name}
          error={error}
          required
          help="Who or what uses the key. The audit log shows this name."
        />
        <FormButtons action="Save" back={API_KEYS_PATH} />
      </form>
    </article>,
  )
}

function reasonFor(c: Context<AppEnv>, { scopes, partner_id }: NamedKey): string {
  const { partner } = c.get('caller')
  return partner && partner.id !== partner_id
    ? `is not linked to the partner of your own key, ${partner.name}.`
    : `has scopes that your own key does not hold: ${beyondOwn(c, scopes).join(', ')}.`
}
