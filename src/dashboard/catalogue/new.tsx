import { type Context, Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { fieldNames } from '../../engine/model/record.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import type { Kind } from '../../records/catalogue/kind.ts'
import { createRecord } from '../../records/catalogue/queries.ts'
import { filtersOf } from '../form/chosen.ts'
import { formOf } from '../form/read.ts'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Input } from '../parts/input.tsx'
import { listPath, type PageFilters, recordPath } from '../paths.ts'
import { asClient } from '../records/as-client.ts'
import { redirectDone } from '../shell/notice.ts'
import { showPage } from '../shell/page.tsx'
import type { Pages } from './pages.ts'
import { headingOf } from './values.ts'

/** What a form can hold in one line, the name first. */
function formFields({ record }: Kind): string[] {
  return fieldNames(record.fields, ({ kind, create }) => create !== null && TYPED.includes(kind))
}

const TYPED = ['text', 'quantity', 'decimal']

/** The page that creates a record, such as one for which deliveries wait. Its address has what is known of the record. */
export function newRecordPages({ kind }: Pages): Hono<AppEnv> {
  const { resource, record } = kind
  const routes = new Hono<AppEnv>()
  const read = requireScope(`integrations.${resource}.read`)
  const write = requireScope(`integrations.${resource}.write`)

  routes.use('/', asClient, read, write)

  routes.get('/', (c) => showNewRecord(c, kind, filtersOf(c), null))

  routes.post('/', async (c) => {
    const fields = formFields(kind)
    const form = await formOf(c, { fields }, (sent, error) =>
      showNewRecord(
        c,
        kind,
        Object.fromEntries(fields.map((name) => [name, sent.text(name)])),
        error,
      ),
    )
    const entered = fields.filter((name) => form.optional(name) !== null)
    const input = Object.fromEntries(
      entered.map((name) => [
        name,
        record.fields[name]?.kind === 'quantity' ? form.number(name) : form.text(name),
      ]),
    )
    const { id } = await createRecord(kind, c.get('db'), check(record.Create, input))
    return redirectDone(c, recordPath(resource, String(id)), `${record.one}-created`)
  })

  return routes
}

function showNewRecord(
  c: Context<AppEnv>,
  kind: Kind,
  values: PageFilters,
  error: ApiError | null,
) {
  const { resource, record } = kind
  const title = `Create a ${record.one}`
  return showPage(
    c,
    title,
    <article class="narrow">
      <h1>{title}</h1>
      <form method="post">
        <FormError error={error} />
        {formFields(kind).map((name) => (
          <Input
            label={headingOf(record, name)}
            name={name}
            error={error}
            value={values[name] ?? ''}
            required={name === record.key}
          />
        ))}
        <p class="nothing">All other fields can be set with the API.</p>
        <FormButtons action={title} back={listPath(resource)} />
      </form>
    </article>,
  )
}
