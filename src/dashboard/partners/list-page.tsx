import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Page } from '../../engine/json/pagination.ts'
import { may } from '../access.ts'
import { Empty } from '../parts/empty.tsx'
import { Heading } from '../parts/heading.tsx'
import { Pager } from '../parts/pager.tsx'
import { showPage } from '../shell/page.tsx'
import { type PartnerRecord, PartnerTable } from './partner-table.tsx'

export function showPartners(c: Context<AppEnv>, { rows, next_cursor }: Page<PartnerRecord>) {
  return showPage(
    c,
    'Partners',
    <>
      <Heading text="Partners">
        {may(c, 'settings.partners.write') && (
          <a class="button" href={'/dashboard/new/partner/'}>
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
      <Pager c={c} next={next_cursor} />
    </>,
  )
}
