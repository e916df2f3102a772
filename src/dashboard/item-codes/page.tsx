import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { CODE_KINDS, UNITS_MAX } from '../../engine/mapping/item-code.ts'
import { check } from '../../middleware/validate.ts'
import { findUnknownCodes } from '../../requests/deliveries/unknown-codes.ts'
import { CODE_WORDS, type StoredCode, shownCode } from '../../settings/item-codes/kind.ts'
import { countCodes, findCode, listCodes } from '../../settings/item-codes/queries.ts'
import { CodesQuery } from '../../settings/item-codes/schema.ts'
import type { CodeTable } from '../../settings/item-codes/statements.ts'
import { findPartner } from '../../settings/partners/queries.ts'
import { may } from '../access.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Heading } from '../parts/heading.tsx'
import { Input } from '../parts/input.tsx'
import { count } from '../parts/numbers.ts'
import { BY_TEXT, ListCount, Pager } from '../parts/pager.tsx'
import { SearchInput } from '../parts/search-input.tsx'
import { itemCodesPath, PARTNERS_PATH, type PageFilters } from '../paths.ts'
import { linkedIds } from '../records/linked.ts'
import { showPage } from '../shell/page.tsx'
import type { CodeFields } from './fields.ts'
import { CodeList } from './list.tsx'
import { UnknownCodes } from './unknown.tsx'

interface Shown {
  chosen: PageFilters
  /** What was typed. Without it, the form has what the address names. */
  fields?: CodeFields
  error: ApiError | null
}

export async function showCodes(
  c: Context<AppEnv>,
  table: CodeTable,
  { chosen, fields, error }: Shown,
) {
  const db = c.get('db')
  const { partnerId, kind } = table
  const { code, ...filters } = chosen
  const query = check(CodesQuery, filters)
  const sees = {
    seesWaiting: may(c, 'settings.documents.read'),
    seesLog: may(c, 'settings.audit.read'),
  }
  const [partner, total, page, unknown, typed] = await Promise.all([
    findPartner(db, partnerId),
    countCodes(db, table),
    listCodes(db, c.get('caller').tenant, table, query),
    findUnknownCodes(db, { ...table, ...sees }),
    fields ?? fieldsFor(c, table, code),
  ])
  const ids = await linkedIds(
    c,
    kind,
    page.rows.map(({ record_name }) => record_name),
  )
  const mayWrite = may(c, 'settings.partners.write')
  return showPage(
    c,
    `Item codes of ${partner.name}`,
    <>
      <Head c={c} table={table} partner={partner} search={query.search ?? ''} />
      <p class="nothing">
        {`Numbers by which ${partner.name} names ${kind}: ${count(total)}. A rule of a mapping with "code" reads them.`}
      </p>
      <UnknownCodes table={table} codes={unknown} mayWrite={mayWrite} />
      {mayWrite && <CodeForm table={table} fields={typed} error={error} />}
      <ListCount c={c} rows={page.rows.length} next={page.next_cursor} of={['code', 'codes']} />
      <CodeList table={table} page={page} ids={ids} search={query.search} mayWrite={mayWrite} />
      <Pager c={c} next={page.next_cursor} names={BY_TEXT} />
    </>,
  )
}

/** What the code of the address stands for by now. */
async function fieldsFor(
  c: Context<AppEnv>,
  table: CodeTable,
  code: string | undefined,
): Promise<CodeFields> {
  const words = CODE_WORDS[table.kind]
  const none: StoredCode = { code: code ?? '', record_name: '', units: 1 }
  const stored =
    code === undefined ? none : await findCode(c.get('db'), table, code).catch(() => none)
  const shown = Object.entries(shownCode(words, stored))
  return Object.fromEntries(shown.map(([name, value]) => [name, String(value)]))
}

interface HeadProps {
  c: Context<AppEnv>
  table: CodeTable
  partner: { id: string; name: string }
  search: string
}

function Head({ c, table, partner, search }: HeadProps) {
  const at = itemCodesPath(table)
  return (
    <Heading text={`Item codes: ${table.kind}`}>
      <a href={`${PARTNERS_PATH}${partner.id}/`}>{partner.name}</a>
      {CODE_KINDS.filter((kind) => kind !== table.kind).map((kind) => (
        <a href={itemCodesPath({ ...table, kind })}>Of {kind}</a>
      ))}
      {may(c, 'settings.partners.write') && <a href={`${at}import/`}>Import CSV</a>}
      <a href={itemCodesPath(table, { search: search || undefined, format: 'csv' })}>
        Download CSV
      </a>
      <search aria-label="Item codes">
        <form class="request-search" method="get">
          <SearchInput name="search" label="Search codes" value={search} />
          <button type="submit">Search</button>
          {search !== '' && (
            <a class="button secondary outline" href={at}>
              Clear
            </a>
          )}
        </form>
      </search>
    </Heading>
  )
}

interface CodeFormProps {
  table: CodeTable
  fields: CodeFields
  error: ApiError | null
}

function CodeForm({ table, fields, error }: CodeFormProps) {
  const { one, field, hasUnits } = CODE_WORDS[table.kind]
  const isNew = fields[field] === ''
  return (
    <article id="enter">
      <h2>{isNew ? 'Enter a code' : `Change ${fields.code}`}</h2>
      <form method="post" action={itemCodesPath(table)}>
        <FormError error={error} />
        <div class="grid">
          <Input
            label="Their code"
            name="code"
            value={fields.code ?? ''}
            error={error}
            required
            help="Exactly as their documents have it."
          />
          <Input
            label={one === 'product' ? 'Our SKU' : 'Our location'}
            name={field}
            value={fields[field] ?? ''}
            error={error}
            required
            help={`The ${one} may be created later.`}
          />
          {hasUnits && (
            <Input
              label="Units"
              name="units"
              type="number"
              min={1}
              max={UNITS_MAX}
              value={fields.units ?? '1'}
              error={error}
              required
              help="How many of our pieces one of theirs is: 12 for a case of 12."
            />
          )}
        </div>
        <FormButtons action="Save code" />
      </form>
    </article>
  )
}

export async function showCodeDeletion(
  c: Context<AppEnv>,
  table: CodeTable,
  code: string,
  error: ApiError | null,
) {
  const partner = await findPartner(c.get('db'), table.partnerId)
  const { record_name } = await findCode(c.get('db'), table, code)
  return showPage(
    c,
    'Delete item code',
    <Confirmation
      question={`Delete the item code “${code}” of ${partner.name}?`}
      action="Delete code"
      look="danger"
      back={itemCodesPath(table)}
      error={error}
    >
      <p>
        It stands for {record_name}. Documents that name it are refused from then on, and deliveries
        wait. Orders keep their lines.
      </p>
    </Confirmation>,
  )
}
