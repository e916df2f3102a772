import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { newestOfPartner } from '../../requests/audit-log/look-ups.ts'
import { sightOf } from '../../requests/check-up/access.ts'
import { checkUp } from '../../requests/check-up/check-up.ts'
import { listMappings } from '../../settings/mappings/queries.ts'
import { findPartner, partnerNamed } from '../../settings/partners/queries.ts'
import { may } from '../access.ts'
import { type Conflict, conflictOf, FormHead } from '../changed/conflict.tsx'
import { RecentChanges, recentChanges } from '../changed/recent.tsx'
import { WaitingLine, waitingOfPartner } from '../deliveries/summary.tsx'
import { DocumentInputs } from '../documents/inputs.tsx'
import { askedOf } from '../form/version.tsx'
import { Confirmation } from '../parts/confirmation.tsx'
import { ExistsLink, isDuplicate } from '../parts/exists-link.tsx'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Heading } from '../parts/heading.tsx'
import { PauseState } from '../parts/pause-state.tsx'
import { auditLogPath, itemCodesPath, newKeyPath, newWebhookPath, PARTNERS_PATH } from '../paths.ts'
import { PausePanel } from '../pause/panel.tsx'
import { showNarrowPage } from '../shell/narrow-page.tsx'
import { showPage } from '../shell/page.tsx'
import { CheckUpPanel } from './check-up.tsx'
import {
  formerFields,
  type PartnerFields,
  PartnerInputs,
  type SavedFields,
  savedFields,
} from './form.tsx'
import { keysOfPartner, PartnerKeys } from './keys.tsx'
import { MappingTable } from './mapping-table.tsx'
import { LastRequests, PartnerSections } from './sections.tsx'

const REQUESTS_SHOWN = 5

/** `fields` are the submitted values, or null to show the saved ones. */
export async function showPartner(
  c: Context<AppEnv>,
  id: string,
  fields: PartnerFields | null,
  error: ApiError | null,
) {
  const db = c.get('db')
  const seesRequests = error === null && may(c, 'settings.audit.read')
  const [partner, mappings, keys, waiting, changes, checked, requests] = await Promise.all([
    findPartner(db, id),
    listMappings(db, id),
    keysOfPartner(c, id),
    waitingOfPartner(c, id),
    error === null ? recentChanges(c, { record_id: id }) : null,
    // A form that is refused is shown at once.
    seesRequests ? checkUp(db, id, sightOf(c)) : null,
    seesRequests ? newestOfPartner(db, id, REQUESTS_SHOWN) : null,
  ])
  const mayWrite = may(c, 'settings.partners.write')
  const saved = savedFields(partner)
  const sent = fields ?? saved
  const conflict = await conflictOf<PartnerFields>(
    c,
    error,
    { record_id: id },
    {
      now: saved,
      sent: { ...sent, documents: sent.documents ?? saved.documents },
      formerOf: formerFields,
    },
  )
  const shown = conflict?.fields ?? sent
  const form = <PartnerForm c={c} fields={shown} saved={saved} conflict={conflict} error={error} />
  return showPage(
    c,
    partner.name,
    <>
      <Heading text={partner.name}>
        {may(c, 'settings.keys.write') && (
          <>
            <a href={newKeyPath(id)}>Create API key</a>
            <a href={newWebhookPath(id)}>Create webhook</a>
          </>
        )}
        {may(c, 'settings.audit.read') && <a href={auditLogPath({ partner_id: id })}>Requests</a>}
        {mayWrite && <a href={askedOf(`${PARTNERS_PATH}${id}/delete/`, partner.version)}>Delete</a>}
      </Heading>
      {partner.pause && (
        <p>
          <PauseState pause={partner.pause} />
          {partner.pause.note !== null && ` (${partner.pause.note})`}{' '}
          {mayWrite && <a href="#pause">Resume this partner</a>}
        </p>
      )}
      <WaitingLine records={waiting} filters={{ partner_id: id }} />
      {error === null && (
        <PartnerSections c={c} id={id} checked={checked} hasKeys={keys !== null} />
      )}
      {error !== null && form}
      {checked && <CheckUpPanel c={c} id={id} checked={checked} />}
      {requests && <LastRequests id={id} requests={requests} />}
      <h2 id="mappings">Mappings</h2>
      <MappingTable partnerId={id} mappings={mappings} mayWrite={mayWrite} />
      <p>
        If the partner has numbers of its own for your goods and places, enter them as item codes:{' '}
        <a href={itemCodesPath({ partnerId: id, kind: 'products' })}>of products</a>,{' '}
        <a href={itemCodesPath({ partnerId: id, kind: 'locations' })}>of locations</a>.
      </p>
      {keys && <PartnerKeys c={c} partner={partner} found={keys} />}
      {error === null && (
        <>
          <h2 id="settings">Settings of this partner</h2>
          {form}
        </>
      )}
      <PausePanel
        record={partner}
        at={`${PARTNERS_PATH}${id}/pause/`}
        whose="this partner"
        mayWrite={mayWrite}
      />
      <RecentChanges c={c} record_id={id} changes={changes} />
    </>,
  )
}

interface PartnerFormProps {
  c: Context<AppEnv>
  fields: PartnerFields
  saved: SavedFields
  conflict: Conflict<PartnerFields> | null
  error: ApiError | null
}

function PartnerForm({ c, fields, saved, conflict, error }: PartnerFormProps) {
  const mayWrite = may(c, 'settings.partners.write')
  return (
    <article>
      <form method="post">
        <FormHead c={c} error={error} conflict={conflict} version={fields.version} />
        <PartnerInputs fields={fields} error={error} disabled={!mayWrite} />
        <DocumentInputs
          whose="the keys of this partner"
          deletion={
            <>
              <code>DELETE /api/settings/v1/partners/{c.req.param('id')}/documents/</code> deletes
              it.
            </>
          }
          fields={fields.documents ?? saved.documents}
          error={error}
          hasBucket={c.env.DOCUMENTS !== undefined}
          disabled={!mayWrite}
        />
        {mayWrite && <FormButtons action="Save" />}
      </form>
    </article>
  )
}

export async function showPartnerDeletion(c: Context<AppEnv>, id: string, error: ApiError | null) {
  const { name, version } = await findPartner(c.get('db'), id)
  return showPage(
    c,
    'Delete partner',
    <Confirmation
      question={`Delete “${name}”?`}
      action="Delete partner"
      look="danger"
      back={`${PARTNERS_PATH}${id}/`}
      version={version}
      error={error}
    >
      <p>
        Its mappings no longer apply. Its orders and audit rows stay as they are. Revoke or unlink
        its API keys first.
      </p>
    </Confirmation>,
  )
}

export async function showNewPartner(
  c: Context<AppEnv>,
  fields: PartnerFields,
  error: ApiError | null,
) {
  const name = fields.name.trim()
  const id = isDuplicate(error) ? await partnerNamed(c.get('db'), name) : undefined
  return showNarrowPage(
    c,
    'Create a partner',
    <form method="post">
      <FormError error={error} />
      <ExistsLink one="partner" name={name} href={id && `${PARTNERS_PATH}${id}/`} />
      <PartnerInputs fields={fields} error={error} />
      <FormButtons action="Create partner" back={PARTNERS_PATH} />
    </form>,
  )
}
