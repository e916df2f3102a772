import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Page } from '../../engine/json/pagination.ts'
import { check } from '../../middleware/validate.ts'
import { listKeyAttempts } from '../../requests/key-attempts/queries.ts'
import { API_KEY } from '../../settings/api-keys/kind.ts'
import { findKey, updateKey } from '../../settings/api-keys/queries.ts'
import { ApiKey } from '../../settings/api-keys/schema.ts'
import { type NamedPartner, namePartners } from '../../settings/partners/queries.ts'
import { may } from '../access.ts'
import { conflictOf } from '../changed/conflict.tsx'
import { RecentChanges, recentChanges } from '../changed/recent.tsx'
import { curlOf } from '../curl.ts'
import { partnersOf } from '../form/choices.ts'
import { CopyField } from '../parts/copy-field.tsx'
import { Empty } from '../parts/empty.tsx'
import { Heading } from '../parts/heading.tsx'
import { PageCsvLink, pageCsv } from '../parts/page-csv.tsx'
import { Pager } from '../parts/pager.tsx'
import { API_KEYS_PATH } from '../paths.ts'
import { showPage } from '../shell/page.tsx'
import {
  choicesOfKey,
  fieldsOfChoices,
  fieldsOfRecord,
  formerKey,
  inputOfForm,
  KEY,
  type KeyFields,
  sentKey,
} from './fields.ts'
import { KeyForm } from './form.tsx'
import type { KeyPages } from './key-pages.ts'
import { KEYS_CSV, KeyTable } from './list.tsx'
import type { KeyRecord } from './record.ts'

type ShownApiKey = Awaited<ReturnType<typeof findKey<ReturnType<typeof API_KEY.shown>>>>

interface CreatedKey {
  name: string
  key: string
  scopes: string[]
}

/** The rows of the page as a file. */
export async function sendKeysCsv(c: Context<AppEnv>, { rows, next_cursor }: Page<KeyRecord>) {
  const partners = await partnersOfKeys(c, rows)
  const named = rows.map((key) => {
    return { ...key, partner: partners.get(key.partner_id ?? '')?.name ?? null }
  })
  return await pageCsv(c, 'api-keys', KEYS_CSV, { rows: named, next_cursor })
}

/** By id; none that the session's key may not see. */
async function partnersOfKeys(c: Context<AppEnv>, keys: readonly KeyRecord[]) {
  const ids = keys.flatMap(({ partner_id }) => partner_id ?? [])
  return may(c, 'settings.partners.read')
    ? await namePartners(c.get('db'), ids)
    : new Map<string, NamedPartner>()
}

export async function showKeys(c: Context<AppEnv>, { rows, next_cursor }: Page<KeyRecord>) {
  const partners = await partnersOfKeys(c, rows)
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
      {rows.length > 0 && <PageCsvLink c={c} />}
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

export const API_KEY_PAGES: KeyPages<ShownApiKey> = {
  kindOf: () => API_KEY,
  one: 'API key',
  noun: 'key',
  value: 'key',
  rotated:
    'You get a new key with the same name, scopes, partner, orders, release, rate limit and expiry.',
  overlap: 'Both keys work until then, so the caller can switch without a gap.',
  ends: '',
  keeps: false,
  nameHelp: 'Who or what uses the key. The audit log shows this name.',
  editAt: '/:id/',
  shape: KEY,
  fieldOfWhole: 'access',
  showForm: (c, record, sent, error) =>
    showKeyForm(c, sent ? sentKey(sent) : fieldsOfRecord(record), error),
  inputOf: inputOfForm,
  update: (c, id, input, versions) =>
    updateKey(API_KEY, c.get('db'), c.get('caller'), id, check(ApiKey.Update, input), versions),
  pageOf: () => API_KEYS_PATH,
  grantedOf: (record) => record,
  formerOf: formerKey,
  showCreated: showCreatedKey,
  done: { saved: 'key-saved', revoked: 'key-revoked' },
}
