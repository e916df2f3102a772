import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Page } from '../../engine/json/pagination.ts'
import type { listPartners } from '../../settings/partners/queries.ts'
import { may, mayConnect } from '../access.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Empty } from '../parts/empty.tsx'
import { Heading } from '../parts/heading.tsx'
import { type CsvColumns, PageCsvLink, pauseCell } from '../parts/page-csv.tsx'
import { Pager } from '../parts/pager.tsx'
import { PauseState } from '../parts/pause-state.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { Time } from '../parts/time.tsx'
import { auditLogPath, CONNECT_PATH } from '../paths.ts'
import { showPage } from '../shell/page.tsx'

type PartnerRecord = Awaited<ReturnType<typeof listPartners>>[number]

export const PARTNERS_CSV: CsvColumns<PartnerRecord> = [
  'id',
  'name',
  'default_identifier_field',
  'updated_at',
  ['paused_until', pauseCell],
]

interface PartnerTableProps {
  c: Context<AppEnv>
  partners: PartnerRecord[]
}

export function showPartners(c: Context<AppEnv>, { rows, next_cursor }: Page<PartnerRecord>) {
  return showPage(
    c,
    'Partners',
    <>
      <Heading text="Partners">
        {mayConnect(c) && (
          <a class="button" href={CONNECT_PATH}>
            Connect a system
          </a>
        )}
        {may(c, 'settings.partners.write') && (
          <a class="button outline" href={'/dashboard/new/partner/'}>
            Create partner
          </a>
        )}
      </Heading>
      {rows.length === 0 ? (
        <Empty text="There are no partners.">
          <p>
            A partner is a system that sends its own documents, such as a shop, an ERP or a
            marketplace. Its mappings turn these documents into our records, for every API key that
            is linked to it. A key without a partner uses our own schema.
          </p>
        </Empty>
      ) : (
        <PartnerTable c={c} partners={rows} />
      )}
      {rows.length > 0 && <PageCsvLink c={c} />}
      <Pager c={c} next={next_cursor} />
    </>,
  )
}

function PartnerTable({ c, partners }: PartnerTableProps) {
  return (
    <DataTable
      rows={partners}
      columns={[
        ['Name', (partner) => <Name partner={partner} />],
        ['Default identifier', ({ default_identifier_field: field }) => textOf(field)],
        ['Changed', ({ updated_at }) => <Time at={updated_at} />],
      ]}
      actions={({ id, name }) =>
        may(c, 'settings.audit.read') && (
          <RowLink href={auditLogPath({ partner_id: id })} text="Requests" of={name} />
        )
      }
    />
  )
}

function Name({ partner: { id, name, pause } }: { partner: PartnerRecord }) {
  return (
    <>
      <a href={`/dashboard/partners/${id}/`}>{name}</a>
      {pause && (
        <small class="line">
          <PauseState pause={pause} />
        </small>
      )}
    </>
  )
}

function textOf(field: string | null) {
  return field === null ? 'our own' : <code>{field}</code>
}
