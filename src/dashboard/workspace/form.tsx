import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import type { ApiError } from '../../errors.ts'
import { findWorkspace } from '../../settings/workspace/queries.ts'
import { RETENTION_DAYS_MAX, UNDO_DAYS_MAX } from '../../settings/workspace/schema.ts'
import { may } from '../access.ts'
import { FormButtons } from '../controls/form-buttons.tsx'
import { FormError } from '../controls/form-error.tsx'
import { Input } from '../controls/input.tsx'
import {
  DOCUMENTS,
  type DocumentFields,
  documentFieldsOf,
  savedDocuments,
} from '../documents/form.ts'
import { DocumentInputs } from '../documents/inputs.tsx'
import type { Form } from '../form/form.ts'
import type { Shape } from '../form/shape.ts'
import { Heading } from '../layout/heading.tsx'
import { count } from '../layout/numbers.ts'
import { showPage } from '../layout/page.tsx'
import { OffSwitch } from './integration.tsx'

const DAYS = ['audit_retention_days', 'audit_hot_days', 'undo_days'] as const

const ARCHIVED =
  'Older requests move to the archive, where they are found more slowly. With as many days as above, none move.'
const NOT_ARCHIVED = 'Without a bucket (the binding DOCUMENTS) all requests stay in the database.'

export const WORKSPACE: Shape = { fields: ['name', ...DAYS], groups: [DOCUMENTS] }

/** The values of the form's fields. */
export interface WorkspaceFields {
  name: string
  audit_retention_days: string
  audit_hot_days: string
  undo_days: string
  /** Null in a form that cannot change them. */
  documents: DocumentFields | null
}

export function fieldsOfForm(form: Form): WorkspaceFields {
  return {
    name: form.text('name'),
    audit_retention_days: form.text('audit_retention_days'),
    audit_hot_days: form.text('audit_hot_days'),
    undo_days: form.text('undo_days'),
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
          <DaysInputs
            days={sent ?? saved}
            error={error}
            hasBucket={c.env.DOCUMENTS !== undefined}
            disabled={!mayWrite}
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

interface DaysProps {
  days: Record<(typeof DAYS)[number], string | number>
  error: ApiError | null
  hasBucket: boolean
  disabled: boolean
}

/** How long the audit log is kept, and what requests replaced. */
function DaysInputs({ days, error, hasBucket, disabled }: DaysProps) {
  const shared = { type: 'number', error, required: true, disabled } as const
  return (
    <>
      <Input
        label="Audit log retention in days"
        name="audit_retention_days"
        min={1}
        max={RETENTION_DAYS_MAX}
        value={String(days.audit_retention_days)}
        help={`1 to ${count(RETENTION_DAYS_MAX)}. Older requests are deleted once a day and cannot be restored.`}
        {...shared}
      />
      <Input
        label="Days of the audit log in the database"
        name="audit_hot_days"
        min={1}
        max={RETENTION_DAYS_MAX}
        value={String(days.audit_hot_days)}
        help={hasBucket ? ARCHIVED : NOT_ARCHIVED}
        {...shared}
      />
      <Input
        label="Days in which requests can be undone"
        name="undo_days"
        min={0}
        max={UNDO_DAYS_MAX}
        value={String(days.undo_days)}
        help={`0 to ${UNDO_DAYS_MAX}, and no longer than the audit log. For this many days Crossdock remembers what uploads and changes replaced, for undo and for the history of stock. With 0 it remembers nothing.`}
        {...shared}
      />
    </>
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
