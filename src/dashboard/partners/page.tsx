import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { sightOf } from '../../requests/check-up/access.ts'
import { checkUp } from '../../requests/check-up/check-up.ts'
import { listMappings } from '../../settings/mappings/queries.ts'
import { findPartner } from '../../settings/partners/queries.ts'
import { may } from '../access.ts'
import { savedDocuments } from '../documents/form.ts'
import { DocumentInputs } from '../documents/inputs.tsx'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Heading } from '../parts/heading.tsx'
import { auditLogPath, newKeyPath, PARTNERS_PATH } from '../paths.ts'
import { showPage } from '../shell/page.tsx'
import { CheckUpPanel } from './check-up.tsx'
import { type PartnerFields, PartnerInputs, savedFields } from './form.tsx'
import { MappingTable } from './mapping-table.tsx'

/** `fields` are the submitted values, or null to show the saved ones. */
export async function showPartner(
  c: Context<AppEnv>,
  id: string,
  fields: PartnerFields | null,
  error: ApiError | null,
) {
  const db = c.get('db')
  const [partner, mappings, checked] = await Promise.all([
    findPartner(db, id),
    listMappings(db, id),
    // A form that is refused is shown at once.
    error === null && may(c, 'settings.audit.read') ? checkUp(db, id, sightOf(c)) : null,
  ])
  const mayWrite = may(c, 'settings.partners.write')
  return showPage(
    c,
    partner.name,
    <>
      <Heading text={partner.name}>
        {may(c, 'settings.keys.write') && <a href={newKeyPath(id)}>Create API key</a>}
        {may(c, 'settings.audit.read') && <a href={auditLogPath({ partner_id: id })}>Requests</a>}
        {mayWrite && <a href={`${PARTNERS_PATH}${id}/delete/`}>Delete</a>}
      </Heading>
      <article>
        <form method="post">
          <FormError error={error} />
          <PartnerInputs
            fields={fields ?? savedFields(partner)}
            error={error}
            disabled={!mayWrite}
          />
          <DocumentInputs
            whose="the keys of this partner"
            deletion={
              <>
                <code>DELETE /api/settings/v1/partners/{id}/documents/</code> deletes it.
              </>
            }
            fields={fields?.documents ?? savedDocuments(partner.keep_documents)}
            error={error}
            hasBucket={c.env.DOCUMENTS !== undefined}
            disabled={!mayWrite}
          />
          {mayWrite && <FormButtons action="Save" />}
        </form>
      </article>
      <h2>Mappings</h2>
      <MappingTable partnerId={id} mappings={mappings} mayWrite={mayWrite} />
      {checked && <CheckUpPanel {...checked} />}
    </>,
  )
}
