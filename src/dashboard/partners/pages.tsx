import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import type { ApiError } from '../../errors.ts'
import type { Page } from '../../pagination.ts'
import { listMappings } from '../../settings/mappings/queries.ts'
import { findPartner } from '../../settings/partners/queries.ts'
import { auditLogPath } from '../audit-log/filters.ts'
import { Confirmation, FormButtons, FormError } from '../controls.tsx'
import { Empty, Heading, mayWrite, Pager, showPage } from '../page.tsx'
import { type PartnerFields, PartnerInputs } from './form.tsx'
import { MappingTable } from './mapping-table.tsx'
import { type PartnerRecord, PartnerTable } from './partner-table.tsx'

const LIST = '/dashboard/partners/'

export function showPartners(c: Context<AppEnv>, { rows, next_cursor }: Page<PartnerRecord>) {
  return showPage(
    c,
    'Partners',
    <>
      <Heading text="Partners">
        {mayWrite(c) && (
          <a class="button" href={'/dashboard/new/partner/'}>
            Create partner
          </a>
        )}
      </Heading>
      {rows.length === 0 ? (
        <Empty text="There are no partners here.">
          <p>
            A partner is a system that sends its own documents: a shop, an ERP, a marketplace. Its
            mappings make our records of them, for every key that is linked to it. A key without a
            partner speaks our own schema.
          </p>
        </Empty>
      ) : (
        <PartnerTable partners={rows} />
      )}
      <Pager c={c} next={next_cursor} />
    </>,
  )
}

export function showNewPartner(c: Context<AppEnv>, fields: PartnerFields, error: ApiError | null) {
  return showPage(
    c,
    'Create a partner',
    <article class="narrow">
      <h1>Create a partner</h1>
      <form method="post">
        <FormError error={error} />
        <PartnerInputs fields={fields} error={error} />
        <FormButtons action="Create partner" back={LIST} />
      </form>
    </article>,
  )
}

/** `fields` as they were filled in, null for those that are saved. */
export async function showPartner(
  c: Context<AppEnv>,
  id: string,
  fields: PartnerFields | null,
  error: ApiError | null,
) {
  const db = c.get('db')
  const [partner, mappings] = await Promise.all([findPartner(db, id), listMappings(db, id)])
  const saved = { ...partner, default_identifier_field: partner.default_identifier_field ?? '' }
  return showPage(
    c,
    partner.name,
    <>
      <Heading text={partner.name}>
        <a href={auditLogPath({ partner_id: id })}>Requests</a>
        {mayWrite(c) && <a href={`${LIST}${id}/delete/`}>Delete</a>}
      </Heading>
      <article>
        <form method="post">
          <FormError error={error} />
          <PartnerInputs fields={fields ?? saved} error={error} disabled={!mayWrite(c)} />
          {mayWrite(c) && <FormButtons action="Save" />}
        </form>
      </article>
      <h2>Mappings</h2>
      <MappingTable partnerId={id} mappings={mappings} mayWrite={mayWrite(c)} />
    </>,
  )
}

export async function showDeletion(c: Context<AppEnv>, id: string, error: ApiError | null) {
  const { name } = await findPartner(c.get('db'), id)
  return showPage(
    c,
    'Delete partner',
    <Confirmation
      question={`Delete “${name}”?`}
      action="Delete partner"
      look="danger"
      back={`${LIST}${id}/`}
      error={error}
    >
      <p>
        Its mappings no longer apply. Its orders and audit rows stay as they are. Keys that are
        linked to it must be revoked or unlinked first.
      </p>
    </Confirmation>,
  )
}
