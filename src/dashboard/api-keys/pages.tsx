import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import type { ApiError } from '../../errors.ts'
import type { Page } from '../../pagination.ts'
import { findApiKey } from '../../settings/api-keys/queries.ts'
import { namePartners } from '../../settings/partners/queries.ts'
import { Confirmation } from '../controls.tsx'
import { Empty, Heading, mayWrite, Pager, showPage } from '../page.tsx'
import { partnersOf } from '../partners/list.ts'
import { type KeyFields, KeyForm } from './form.tsx'
import { type KeyRecord, KeyTable } from './list.tsx'
import { OwnKey } from './own-key.tsx'

const LIST = '/dashboard/api-keys/'

export async function showKeys(c: Context<AppEnv>, { rows, next_cursor }: Page<KeyRecord>) {
  const ids = rows.flatMap(({ partner_id }) => partner_id ?? [])
  const partners = await namePartners(c.get('db'), ids)
  return showPage(
    c,
    'API keys',
    <>
      <Heading text="API keys">
        {mayWrite(c) && (
          <a class="button" href={'/dashboard/new/api-key/'}>
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
        <code>{hint}</code> is refused from its next request on. This cannot be undone.
      </p>
      <OwnKey c={c} id={id} text="you will be signed out." />
    </Confirmation>,
  )
}
