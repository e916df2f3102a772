import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { may } from '../access.ts'
import { FileField } from '../parts/file-field.tsx'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { count } from '../parts/numbers.ts'
import { TextArea } from '../parts/text-area.tsx'
import { importPath, listPath, PARTNERS_PATH } from '../paths.ts'
import { linkedIds } from '../records/linked.ts'
import { showPage } from '../shell/page.tsx'
import type { ImportPages } from './pages.ts'
import type { Plan, RowText } from './plan.ts'
import { PlanSummary } from './planned.tsx'

interface Shown {
  text?: string | undefined
  error?: ApiError | undefined
}

/** Asks for a file or its text. */
export function showImportForm(
  c: Context<AppEnv>,
  pages: ImportPages,
  { text, error }: Shown = {},
) {
  const title = titleOf(pages)
  return showPage(
    c,
    title,
    <article>
      <h1>{title}</h1>
      <Rules c={c} pages={pages} />
      <FileForm pages={pages} text={text} error={error} />
    </article>,
  )
}

/** Beyond it the form does not have the text once more: it carries the rows already. */
const TEXT_KEPT_MAX = 100_000

/** What the checked table would do. `fields` are those of the form that imports the rows that are right. */
export async function showPlan(
  c: Context<AppEnv>,
  pages: ImportPages,
  { plan, text, fields }: { plan: Plan<unknown>; text: string; fields: Record<string, string> },
) {
  const title = titleOf(pages)
  const ids = await idsNamed(c, pages, plan.effects)
  const kept = text.length <= TEXT_KEPT_MAX ? text : ''
  return showPage(
    c,
    title,
    <article>
      <h1>{title}</h1>
      <PlanSummary pages={pages} plan={plan} fields={fields} ids={ids} />
      <h2 id="table">
        {plan.wrong > 0 ? 'Correct the table, and check it again' : 'Check another table'}
      </h2>
      <FileForm pages={pages} text={kept} />
    </article>,
  )
}

/** The ids of the records that rows name; none of stock, of which a row names two. */
export async function idsNamed(
  c: Context<AppEnv>,
  { resource }: Pick<ImportPages, 'resource'>,
  rows: RowText[],
): Promise<Map<string, string>> {
  if (resource === 'inventory') return new Map()
  const names = rows.map(({ name }) => name)
  return await linkedIds(c, resource, names)
}

function titleOf({ what }: ImportPages): string {
  return `Import ${what}`
}

function Rules({ c, pages }: { c: Context<AppEnv>; pages: ImportPages }) {
  const { sheet, rules } = pages
  return (
    <>
      <p>
        Choose a CSV file, or paste its text, at most {count(sheet.rowsMax)} rows and 10 MB. The
        first row names the columns: <code>{sheet.columns.join(', ')}</code>. It needs{' '}
        <code>{sheet.needed.join(', ')}</code>. “Download CSV” of the list gives such a file.
      </p>
      <p>{rules}</p>
      {may(c, 'settings.partners.read') && (
        <p>
          For a file of a supplier, with columns and numbers of its own, make the supplier a partner
          and use the file with its mapping: <a href={PARTNERS_PATH}>all partners</a>.
        </p>
      )}
    </>
  )
}

function FileForm({ pages, text = '', error }: { pages: ImportPages } & Shown) {
  const { resource, example } = pages
  return (
    <form method="post" action={importPath(resource)} data-file-form>
      <FormError error={error ?? null} />
      <FileField />
      <TextArea
        label="Its text"
        name="document"
        rows={10}
        value={text}
        placeholder={example}
        error={error ?? null}
      />
      <FormButtons action="Check it" back={listPath(resource)} />
    </form>
  )
}
