import type { Context } from 'hono'
import type * as z from 'zod'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { byName } from '../../engine/json/by-name.ts'
import type { JsonObject } from '../../engine/json/json-object.ts'
import { stateAs } from '../../settings/history/schema.ts'
import { findWorkspace } from '../../settings/workspace/queries.ts'
import { NUMBERS, Workspace } from '../../settings/workspace/schema.ts'
import { may } from '../access.ts'
import { conflictOf, FormHead } from '../changed/conflict.tsx'
import {
  DOCUMENTS,
  type DocumentFields,
  documentFieldsOf,
  savedDocuments,
} from '../documents/form.ts'
import { DocumentInputs } from '../documents/inputs.tsx'
import type { Form } from '../form/form.ts'
import type { Shape } from '../form/shape.ts'
import { VERSION } from '../form/version.tsx'
import { FormButtons } from '../parts/form-buttons.tsx'
import { Heading } from '../parts/heading.tsx'
import { Input } from '../parts/input.tsx'
import { PARTNERS_PATH, settingsHistoryPath, WORKSPACE_PATH } from '../paths.ts'
import { PausePanel } from '../pause/panel.tsx'
import { showPage } from '../shell/page.tsx'
import { OffSwitch } from './integration.tsx'

export const WORKSPACE: Shape = { fields: ['name', ...NUMBERS, VERSION], groups: [DOCUMENTS] }

/** The values of the form's fields. */
export interface WorkspaceFields extends Record<(typeof NUMBERS)[number], string> {
  name: string
  version: string
  /** Null in a form that cannot change them. */
  documents: DocumentFields | null
}

export function sentWorkspace(form: Form): WorkspaceFields {
  const texts = byName([...NUMBERS, 'name', VERSION] as const, (name) => form.text(name))
  return { ...texts, documents: documentFieldsOf(form) }
}

function savedWorkspace(saved: SavedWorkspace) {
  return {
    name: saved.name,
    ...byName(NUMBERS, (name) => String(saved[name])),
    documents: savedDocuments(saved.keep_documents),
    version: String(saved.version ?? ''),
  }
}

/** The fields of the workspace as the history has it; null if that has another shape. */
function formerWorkspace(state: JsonObject | null) {
  const former = stateAs(FormerWorkspace, state)
  return former && savedWorkspace(former)
}

const FormerWorkspace = Workspace.Shown.pick(
  byName(['name', ...NUMBERS, 'keep_documents'] as const, () => true as const),
)

type SavedWorkspace = z.output<typeof FormerWorkspace> & { version?: number }

/** `sent` are the submitted values, or null to show the saved ones. */
export async function showWorkspace(
  c: Context<AppEnv>,
  sent: WorkspaceFields | null,
  error: ApiError | null,
) {
  const { tenant: record_id } = c.get('caller')
  const saved = await findWorkspace(c.get('db'))
  const mayWrite = may(c, 'settings.workspace.write')
  const now = savedWorkspace(saved)
  const given = sent ?? now
  const conflict = await conflictOf<WorkspaceFields>(
    c,
    error,
    { record_id },
    {
      now,
      sent: { ...given, documents: given.documents ?? now.documents },
      formerOf: formerWorkspace,
    },
  )
  const shown = conflict?.fields ?? given
  return showPage(
    c,
    'Workspace',
    <>
      <Heading text="Workspace">
        {may(c, 'settings.audit.read') && (
          <a href={settingsHistoryPath({ record_id })}>All changes</a>
        )}
      </Heading>
      <article>
        <form method="post">
          <FormHead c={c} error={error} conflict={conflict} version={shown.version} />
          <Input
            label="Name"
            name="name"
            value={shown.name}
            error={error}
            required
            disabled={!mayWrite}
          />
          <NumberInputs
            numbers={shown}
            error={error}
            hasBucket={c.env.DOCUMENTS !== undefined}
            disabled={!mayWrite}
          />
          <DocumentInputs
            whose="keys without a partner"
            elsewhere={
              may(c, 'settings.partners.read') && (
                <>
                  What a partner sends is kept as the page of that partner says:{' '}
                  <a href={PARTNERS_PATH}>all partners</a>.
                </>
              )
            }
            deletion={
              <>
                <code>{'DELETE /api/settings/v1/audit-log/{request_id}/document/'}</code> deletes
                the document of a request.
              </>
            }
            fields={shown.documents ?? now.documents}
            error={error}
            hasBucket={c.env.DOCUMENTS !== undefined}
            disabled={!mayWrite}
          />
          {mayWrite && <FormButtons action="Save" />}
        </form>
      </article>
      <Facts tenant={saved.tenant} settings_version={saved.settings_version} />
      <PausePanel
        record={saved}
        at={`${WORKSPACE_PATH}pause/`}
        whose="every key"
        mayWrite={mayWrite}
      />
      <OffSwitch isOn={saved.integration_enabled} mayWrite={mayWrite} />
    </>,
  )
}

interface NumbersProps {
  numbers: Record<(typeof NUMBERS)[number], string>
  error: ApiError | null
  hasBucket: boolean
  disabled: boolean
}

function NumberInputs({ numbers, error, hasBucket, disabled }: NumbersProps) {
  return (
    <>
      {NUMBERS.map((name) => {
        const { label, min, max, help, helpWithoutBucket = help } = Workspace.fields[name]
        return (
          <Input
            label={label}
            name={name}
            type="number"
            min={min}
            max={max}
            value={numbers[name]}
            help={hasBucket ? help : helpWithoutBucket}
            error={error}
            required
            disabled={disabled}
          />
        )
      })}
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
