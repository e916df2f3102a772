import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import type { ApiError } from '../../errors.ts'
import { findWorkspace } from '../../settings/workspace/queries.ts'
import { RETENTION_DAYS_MAX } from '../../settings/workspace/schema.ts'
import { Confirmation, FormButtons, FormError, Input } from '../controls.tsx'
import type { Form } from '../form.ts'
import { count } from '../numbers.ts'
import { Heading, mayWrite, showPage } from '../page.tsx'

const PATH = '/dashboard/workspace/'

/** What the form of the workspace holds, as its fields have it. */
export interface WorkspaceFields {
  name: string
  /** Undefined where the form had no such field: what is saved stays. */
  audit_retention_days: string | undefined
}

export function fieldsOfForm(form: Form): WorkspaceFields {
  const days = 'audit_retention_days'
  return { name: form.text('name'), [days]: form.has(days) ? form.text(days) : undefined }
}

/** `sent` as it was typed, null for what is saved. */
export async function showWorkspace(
  c: Context<AppEnv>,
  sent: WorkspaceFields | null,
  error: ApiError | null,
) {
  const saved = await findWorkspace(c.get('db'))
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
            disabled={!mayWrite(c)}
          />
          <Input
            label="Days that the audit log is kept"
            name="audit_retention_days"
            type="number"
            min={1}
            max={RETENTION_DAYS_MAX}
            value={sent?.audit_retention_days ?? String(saved.audit_retention_days)}
            error={error}
            required
            disabled={!mayWrite(c)}
            help={`1 to ${count(RETENTION_DAYS_MAX)}. Older requests are deleted once a day, and nothing brings them back.`}
          />
          {mayWrite(c) && <FormButtons action="Save" />}
        </form>
      </article>
      <Facts tenant={saved.tenant} settings_version={saved.settings_version} />
      <OffSwitch isOn={saved.integration_enabled} mayWrite={mayWrite(c)} />
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
        {settings_version} <small>goes up with every change of settings</small>
      </dd>
    </dl>
  )
}

function OffSwitch({ isOn, mayWrite }: { isOn: boolean; mayWrite: boolean }) {
  return (
    <article>
      <h2>Integration</h2>
      <p>
        <span class={`status ${isOn ? 'active' : 'revoked'}`}>
          {isOn ? 'The integration is on' : 'The integration is off'}
        </span>
      </p>
      <p>
        {isOn
          ? 'Partners push and read. Switched off, every call of the integrations API is refused with 403 WORKSPACE_DISABLED; settings and this dashboard keep working.'
          : 'Every call of the integrations API is refused with 403 WORKSPACE_DISABLED.'}
      </p>
      {mayWrite && (
        <a class={isOn ? 'button danger' : 'button'} href={`${PATH}integration/`}>
          {isOn ? 'Switch off' : 'Switch on'}
        </a>
      )}
    </article>
  )
}

/** Asks before the integration is switched to what it is not. */
export async function showSwitch(c: Context<AppEnv>, error: ApiError | null) {
  const { name, integration_enabled: isOn } = await findWorkspace(c.get('db'))
  const title = isOn ? 'Switch the integration off' : 'Switch the integration on'
  return showPage(
    c,
    title,
    <Confirmation
      question={`${title}?`}
      action={isOn ? 'Switch off' : 'Switch on'}
      look={isOn ? 'danger' : undefined}
      back={PATH}
      error={error}
    >
      <input type="hidden" name="integration_enabled" value={String(!isOn)} />
      <p>
        {isOn
          ? `From the next request on, every partner of “${name}” gets 403 WORKSPACE_DISABLED, until you switch it on again.`
          : `From the next request on, the partners of “${name}” are served again.`}
      </p>
    </Confirmation>,
  )
}
