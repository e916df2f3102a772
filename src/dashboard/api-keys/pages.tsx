import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import type { ApiError } from '../../errors.ts'
import type { Page } from '../../pagination.ts'
import { findApiKey } from '../../settings/api-keys/queries.ts'
import { Confirmation, Select } from '../controls.tsx'
import { Empty, Heading, mayWrite, Pager, showPage } from '../page.tsx'
import { partnersOf } from '../partners/list.ts'
import { type KeyFields, KeyForm } from './form.tsx'
import { type KeyRecord, KeyTable } from './list.tsx'

const LIST = '/dashboard/api-keys/'

const OVERLAPS = [
  ['0', 'At once: the old key is revoked'],
  ['3600', 'An hour from now'],
  ['86400', 'A day from now'],
  ['604800', 'A week from now'],
] as const

export async function showKeys(c: Context<AppEnv>, { rows, next_cursor }: Page<KeyRecord>) {
  const partners = new Map((await partnersOf(c)).map(({ id, name }) => [id, name]))
  return showPage(
    c,
    'API keys',
    <>
      <Heading text="API keys">
        {mayWrite(c) && (
          <a class="button" href={`${LIST}new/`}>
            Create key
          </a>
        )}
      </Heading>
      {rows.length === 0 ? (
        <Empty text="There are no API keys here." />
      ) : (
        <KeyTable keys={rows} partners={partners} mayWrite={mayWrite(c)} />
      )}
      <Pager c={c} next={next_cursor} />
    </>,
  )
}

/** For a new key, or for one that exists where the path names it. */
export async function showKeyForm(c: Context<AppEnv>, fields: KeyFields, error: ApiError | null) {
  const isNew = c.req.param('id') === undefined
  const title = isNew ? 'Create an API key' : 'Edit API key'
  return showPage(
    c,
    title,
    <article class="narrow">
      <h1>{title}</h1>
      <KeyForm
        fields={fields}
        partners={await partnersOf(c)}
        error={error}
        action={isNew ? 'Create key' : 'Save'}
      />
    </article>,
  )
}

export async function showRotation(c: Context<AppEnv>, id: string, error: ApiError | null) {
  const { name } = await findApiKey(c.get('db'), id)
  return showPage(
    c,
    'Rotate API key',
    <Confirmation question={`Rotate “${name}”?`} action="Rotate key" back={LIST} error={error}>
      <p>You get a new key with the same name, scopes, partner and expiry.</p>
      <Select
        label="The old key ends"
        name="overlap_seconds"
        value="86400"
        options={OVERLAPS}
        error={error}
        help="Until then both work, so that the caller can change over without a gap."
      />
    </Confirmation>,
  )
}

export async function showRevocation(c: Context<AppEnv>, id: string, error: ApiError | null) {
  const { name, hint } = await findApiKey(c.get('db'), id)
  return showPage(
    c,
    'Revoke API key',
    <Confirmation
      question={`Revoke “${name}”?`}
      action="Revoke key"
      look="danger"
      back={LIST}
      error={error}
    >
      <p>
        <code>{hint}</code> opens nothing from the next request on. This cannot be undone.
      </p>
      {id === c.get('caller').key.id && (
        <p>
          <strong>You are signed in with this key: you will be signed out.</strong>
        </p>
      )}
    </Confirmation>,
  )
}
