import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import type { ApiError } from '../../errors.ts'
import { findWorkspace } from '../../settings/workspace/queries.ts'
import { RETENTION_DAYS_MAX, UNDO_DAYS_MAX } from '../../settings/workspace/schema.ts'
import { may } from '../access.ts'
import { FormButtons } from '../controls/form-buttons.tsx'
import { FormError } from '../controls/form-error.tsx'
import { Input } from '../controls/input.tsx'
import { type DocumentFields, documentFieldsOf, savedDocuments } from '../documents/form.ts'
import { DocumentInputs } from '../documents/inputs.tsx'
import type { Form } from '../form/form.ts'
import { Heading } from '../layout/heading.tsx'
import { count } from '../layout/numbers.ts'
import { showPage } from '../layout/page.tsx'
import { OffSwitch } from './integration.tsx'

/** The values of the form's fields. */
export interface WorkspaceFields {
  name: string
  /** These are undefined if the form has no such field: the saved value stays. */
  audit_retention_days: string | undefined
  undo_days: string | undefined
  /** Null in a form that cannot change them. */
  documents: DocumentFields | null
}

export function fieldsOfForm(form: Form): WorkspaceFields {
  const given = (name: string) => (form.has(name) ? form.text(name) : undefined)
  return {
    name: form.text('name'),
    audit_retention_days: given('audit_retention_days'),
    undo_days: given('undo_days'),
    documents: documentFieldsOf(form),
  }
}

/** `sent` are the submitted values, or null to show the saved ones. */
export async function showWorkspace(
  c: Context<AppEnv>,
  sent: WorkspaceFields | null,
  error: ApiError | null,
) {
  const saved = await findWorkspace(c.get('db'))
  const mayWrite = may(c, 'settings.workspace.write')
  return showPage(
    c,
    'Workspace',
    <>
      <Heading text="Workspace" />
      <article>
        <form method="post">
          <FormError error={error} />
          <Input
            label="Name"
            name="name"
            value={sent?.name ?? saved.name}
            error={error}
            required
            disabled={!mayWrite}
          />
          <Input
            label="Audit log retention in days"
            name="audit_retention_days"
            type="number"
            min={1}
            max={RETENTION_DAYS_MAX}
            value={sent?.audit_retention_days ?? String(saved.audit_retention_days)}
            error={error}
            required
            disabled={!mayWrite}
            help={`1 to ${count(RETENTION_DAYS_MAX)}. Older requests are deleted once a day and cannot be restored.`}
          />
          <Input
            label="Days to take requests back"
            name="undo_days"
            type="number"
            min={0}
            max={UNDO_DAYS_MAX}
            value={sent?.undo_days ?? String(saved.undo_days)}
            error={error}
            required
            disabled={!mayWrite}
            help={`0 to ${UNDO_DAYS_MAX}, and no longer than the audit log. So long Crossdock remembers what uploads and changes replaced, also for the history of stock. 0 remembers nothing.`}
          />
          <DocumentInputs
            whose="keys without a partner"
            deletion={
              <>
                <code>{'DELETE /api/settings/v1/audit-log/{request_id}/document/'}</code> deletes
                the document of a request.
              </>
            }
            fields={sent?.documents ?? savedDocuments(saved.keep_documents)}
            error={error}
            hasBucket={c.env.DOCUMENTS !== undefined}
            disabled={!mayWrite}
          />
          {mayWrite && <FormButtons action="Save" />}
        </form>
      </article>
      <Facts tenant={saved.tenant} settings_version={saved.settings_version} />
      <OffSwitch isOn={saved.integration_enabled} mayWrite={mayWrite} />
    </>,
  )
}

function Facts({ tenant, settings_version }: { tenant: string; settings_version: number }) {
  return (
    <dl class="facts">
      <dt>Tenant</dt>
      <dd>
        <code>{tenant}</code>
      </dd>
      <dt>Settings version</dt>
      <dd>
        {settings_version} <small>increases with every change of settings</small>
      </dd>
    </dl>
  )
}
