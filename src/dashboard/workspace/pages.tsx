import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import type { ApiError } from '../../errors.ts'
import { findWorkspace } from '../../settings/workspace/queries.ts'
import { Confirmation, FormButtons, FormError, Input } from '../controls.tsx'
import { Heading, mayWrite, showPage } from '../page.tsx'

const PATH = '/dashboard/workspace/'

/** `name` as it was typed, null for the one that is saved. */
export async function showWorkspace(
  c: Context<AppEnv>,
  name: string | null,
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
            value={name ?? saved.name}
            error={error}
            required
            disabled={!mayWrite(c)}
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
