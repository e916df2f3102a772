import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Page } from '../../engine/json/pagination.ts'
import { listKeyAttempts } from '../../requests/key-attempts/queries.ts'
import { namePartners } from '../../settings/partners/queries.ts'
import { may } from '../access.ts'
import { partnersOf } from '../form/choices.ts'
import { Empty } from '../parts/empty.tsx'
import { Heading } from '../parts/heading.tsx'
import { Pager } from '../parts/pager.tsx'
import { showPage } from '../shell/page.tsx'
import type { KeyFields } from './fields.ts'
import { KeyForm } from './form.tsx'
import { KeyTable } from './list.tsx'
import type { KeyRecord } from './record.ts'

export async function showKeys(c: Context<AppEnv>, { rows, next_cursor }: Page<KeyRecord>) {
  const ids = rows.flatMap(({ partner_id }) => partner_id ?? [])
  const partners = may(c, 'settings.partners.read')
    ? await namePartners(c.get('db'), ids)
    : new Map<string, string>()
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
  const isNew = c.req.param('id') === undefined
  const title = isNew ? 'Create an API key' : 'Edit API key'
  return showPage(
    c,
    title,
    <article class="narrow">
      <h1>{title}</h1>
      <KeyForm
        c={c}
        fields={fields}
        partners={await partnersOf(c)}
        error={error}
        action={isNew ? 'Create key' : 'Save'}
      />
    </article>,
  )
}
