import { type Context, Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { byName } from '../../engine/json/by-name.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import type { Kind } from '../../records/catalogue/kind.ts'
import { createRecord } from '../../records/catalogue/queries.ts'
import { filtersOf } from '../form/chosen.ts'
import { formOf } from '../form/read.ts'
import { ExistsLink, isDuplicate } from '../parts/exists-link.tsx'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { listPath, type PageFilters, recordPath } from '../paths.ts'
import { RecordInputs } from '../record-form/inputs.tsx'
import { createBody, formNames, newShape, textsSent } from '../record-form/texts.ts'
import { asClient } from '../records/as-client.ts'
import { linkedIds } from '../records/linked.ts'
import { showNarrowPage } from '../shell/narrow-page.tsx'
import { redirectDone } from '../shell/notice.ts'
import type { Pages } from './pages.ts'

/** The page that creates a record, such as one for which deliveries wait. Its address has what is known of the record. */
export function newRecordPages({ kind }: Pages): Hono<AppEnv> {
  const { resource, record } = kind
  const routes = new Hono<AppEnv>()
  const read = requireScope(`integrations.${resource}.read`)
  const write = requireScope(`integrations.${resource}.write`)

  routes.use('/', asClient, read, write)

  const names = formNames(record, 'create')
  routes.get('/', (c) => showNewRecord(c, kind, filtersOf(c), null))

  routes.post('/', async (c) => {
    const form = await formOf(c, newShape(record), (sent, error) =>
      showNewRecord(c, kind, textsSent(record, names, sent), error),
    )
    const input = createBody(record, textsSent(record, names, form))
    const { id } = await createRecord(kind, c.get('db'), input)
    return redirectDone(c, recordPath(resource, String(id)), `${record.one}-created`)
  })

  return routes
}

async function showNewRecord(
  c: Context<AppEnv>,
  kind: Kind,
  values: PageFilters,
  error: ApiError | null,
) {
  const { resource, record } = kind
  const title = `Create a ${record.one}`
  const name = values[record.key] ?? ''
  // It may be inactive, and have no place in the list.
  const id = isDuplicate(error) ? (await linkedIds(c, resource, [name])).get(name) : undefined
  return showNarrowPage(
    c,
    title,
    <form method="post">
      <FormError error={error} />
      <ExistsLink one={record.one} name={name} href={id && recordPath(resource, id)} />
      <RecordInputs
        record={record}
        texts={byName(formNames(record, 'create'), (name) => values[name] ?? '')}
        error={error}
      />
      <FormButtons action={title} back={listPath(resource)} />
    </form>,
  )
}
