import type { Context } from 'hono'
import { rowsOfCsv } from '../../engine/body/csv.ts'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError, FieldErrors } from '../../engine/errors.ts'
import { byName } from '../../engine/json/by-name.ts'
import { withNumbers } from '../../settings/item-codes/csv-numbers.ts'
import { csvColumns } from '../../settings/item-codes/export.ts'
import { CODE_WORDS } from '../../settings/item-codes/kind.ts'
import { type ManyResult, saveCodes } from '../../settings/item-codes/queries.ts'
import type { CodeTable } from '../../settings/item-codes/statements.ts'
import { findPartner } from '../../settings/partners/queries.ts'
import type { Form } from '../form/form.ts'
import { DataTable } from '../parts/data-table.tsx'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { count } from '../parts/numbers.ts'
import { Select } from '../parts/select.tsx'
import { Tally } from '../parts/tally.tsx'
import { TextArea } from '../parts/text-area.tsx'
import { itemCodesPath } from '../paths.ts'
import { showPage } from '../shell/page.tsx'
import { OTHERS } from './fields.ts'

/** So many failed rows are shown. The API lists up to 1,000. */
const ERRORS_SHOWN = 100

const TEXTS: Record<(typeof OTHERS)[number], string> = {
  keep: 'Keep the codes that the table does not name',
  remove: 'Remove the codes that the table does not name',
}

export async function showImport(
  c: Context<AppEnv>,
  table: CodeTable,
  sent: Form | null,
  error: ApiError | null,
) {
  const partner = await findPartner(c.get('db'), table.partnerId)
  const columns = csvColumns(CODE_WORDS[table.kind])
  const title = `Import item codes of ${table.kind}`
  return showPage(
    c,
    title,
    <article>
      <h1>{title}</h1>
      <p>
        For {partner.name}. Paste a table from a spreadsheet, or the text of a CSV file. The first
        line names the columns: <code>{columns.join(', ')}</code>. Each row stands for itself.
      </p>
      <form method="post">
        <FormError error={error} />
        <TextArea
          label="Table"
          name="body"
          rows={12}
          value={sent?.raw('body') ?? ''}
          placeholder={`${columns.join(';')}\n4006381333931;MUG-BLUE`}
          error={error}
        />
        <Select
          label="Other codes"
          name="others"
          value={sent?.text('others') ?? 'keep'}
          options={OTHERS.map((name) => [name, TEXTS[name]] as const)}
          error={error}
        />
        <FormButtons action="Import" back={itemCodesPath(table)} />
      </form>
    </article>,
  )
}

/** Saves the rows, and shows what became of them. */
export async function importCodes(c: Context<AppEnv>, table: CodeTable, form: Form) {
  const words = CODE_WORDS[table.kind]
  const columns = csvColumns(words)
  const bytes = new TextEncoder().encode(form.raw('body'))
  const { pace } = c.get('db')
  const rows = await pace.inTurn(bytes.length, () =>
    withNumbers(rowsOfCsv(bytes, columns, columns.slice(0, 2))),
  )
  const replaces = form.text('others') === 'remove'
  const { result, warnings } = await saveCodes(c.get('db'), table, rows, replaces)
  return showPage(
    c,
    'Imported item codes',
    <article>
      <h1>Imported item codes</h1>
      <Tally totals={byName(COUNTED, (name) => result[name])} />
      {warnings.map(({ message }) => (
        <p class="nothing">{message}</p>
      ))}
      <Failed result={result} />
      <p>
        <a class="button" href={itemCodesPath(table)}>
          Show the item codes
        </a>
      </p>
    </article>,
  )
}

const COUNTED = ['created', 'updated', 'unchanged', 'removed', 'failed'] as const

function Failed({ result: { errors } }: { result: ManyResult }) {
  if (errors.length === 0) return null
  return (
    <section>
      <h2>Rows that were not imported</h2>
      <DataTable
        rows={errors.slice(0, ERRORS_SHOWN)}
        columns={[
          ['Row', ({ row }) => row + 1],
          ['Their code', ({ code }) => code ?? '—', 'free'],
          ['Why', ({ errors: why }) => whyText(why)],
        ]}
      />
      {errors.length > ERRORS_SHOWN && (
        <p class="nothing">{`${count(errors.length - ERRORS_SHOWN)} more rows failed.`}</p>
      )}
    </section>
  )
}

function whyText(why: FieldErrors): string {
  return Object.entries(why)
    .map(([field, messages]) => `${field}: ${messages.join(' ')}`)
    .join(' ')
}
