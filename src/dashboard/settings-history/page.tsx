import type { Context } from 'hono'
import { SETTINGS_KINDS } from '../../engine/db/tables.ts'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Page } from '../../engine/json/pagination.ts'
import type { Warning } from '../../engine/json/warnings.ts'
import { type ListedChange, whatOf, whoOf } from '../changed/line.tsx'
import { RecordName, type RecordOfChange } from '../changed/record-name.tsx'
import { type Choices, choicesOf } from '../form/choices.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Empty } from '../parts/empty.tsx'
import { ClearFilters, FilterPanel, isFiltered } from '../parts/filter-panel.tsx'
import { Heading } from '../parts/heading.tsx'
import { withChosen } from '../parts/option.ts'
import { type CsvColumns, PageCsvLink } from '../parts/page-csv.tsx'
import { ListCount, Pager } from '../parts/pager.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { Select } from '../parts/select.tsx'
import { KeySelect } from '../parts/subject-selects.tsx'
import { Time } from '../parts/time.tsx'
import { changePath, type PageFilters, settingsHistoryPath } from '../paths.ts'
import { CallerName, type NameLinks } from '../records/names.tsx'
import { showPage } from '../shell/page.tsx'

const FIELDS = ['kind', 'api_key_id'] as const
const KINDS = {
  api_key: 'API keys and webhooks',
  partner: 'Partners',
  mapping: 'Mappings',
  workspace: 'Workspace',
}

interface Head {
  chosen: PageFilters
  choices: Choices
  error: ApiError | null
}

type Row = ListedChange &
  RecordOfChange & { seq: number; source: string; api_key_id: string | null }

export const CHANGES_CSV: CsvColumns<Row> = [
  'id',
  'created_at',
  ['who', whoOf],
  'kind',
  'record_id',
  'resource',
  'name',
  'action',
  ['fields', ({ fields }) => fields.join(', ')],
  'source',
]

/** Who changed which settings, newest first. */
export function showChanges(
  c: Context<AppEnv>,
  head: Head,
  { rows, next_cursor, names }: Page<Row> & { names: NameLinks },
  warnings: Warning[],
) {
  return showPage(
    c,
    'History of settings',
    <>
      <HistoryFilters {...head} />
      {warnings.map(({ message }) => (
        <p class="nothing">{message}</p>
      ))}
      <ListCount c={c} rows={rows.length} next={next_cursor} of={['change', 'changes']} />
      {rows.length === 0 ? (
        <NoChanges chosen={head.chosen} isLast={next_cursor === null} />
      ) : (
        <DataTable
          rows={rows}
          isHeadless
          columns={[
            ['Time', ({ created_at }) => <Time at={created_at} seconds />],
            ['Who', (row) => <CallerName links={names} id={row.api_key_id} name={whoOf(row)} />],
            ['What', (row) => <RecordName c={c} change={row} />],
            ['Changed', whatOf],
            ['By', ({ source }) => source],
          ]}
          actions={({ id }) => <RowLink href={changePath(id)} text="Show" of={`change ${id}`} />}
        />
      )}
      {rows.length > 0 && <PageCsvLink c={c} />}
      <Pager c={c} next={next_cursor} />
    </>,
  )
}

/** The filters with what is wrong with them. */
export async function showWrongFilters(c: Context<AppEnv>, chosen: PageFilters, error: ApiError) {
  const head = { chosen, choices: await choicesOf(c), error }
  return showPage(c, 'History of settings', <HistoryFilters {...head} />)
}

function NoChanges({ chosen, isLast }: { chosen: PageFilters; isLast: boolean }) {
  if (!isLast)
    return <p>None among the changes that were searched. “Older” continues from there.</p>
  return Object.keys(chosen).length === 0 ? (
    <Empty text="Nothing has changed in the last 400 days." />
  ) : (
    <Empty text="No change matches these filters.">
      <ClearFilters at={settingsHistoryPath()} />
    </Empty>
  )
}

function HistoryFilters({ chosen, choices, error }: Head) {
  const { kind, record_id } = chosen
  return (
    <>
      <Heading text="History of settings" />
      <FilterPanel
        error={error}
        fields={FIELDS}
        isSet={isFiltered(chosen, FIELDS)}
        clearAt={settingsHistoryPath()}
        kept={record_id && <input type="hidden" name="record_id" value={record_id} />}
      >
        <Select
          label="What"
          name="kind"
          error={error}
          value={kind ?? ''}
          options={withChosen(
            [['', 'All settings'], ...SETTINGS_KINDS.map((one) => [one, KINDS[one]] as const)],
            kind,
          )}
        />
        <KeySelect label="Who" any="Anyone" chosen={chosen} error={error} choices={choices} />
      </FilterPanel>
    </>
  )
}
