import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { findWorkspace } from '../../settings/workspace/queries.ts'
import { CONFIRMED, type Shape } from '../form/shape.ts'
import { VERSION } from '../form/version.tsx'
import { Confirmation } from '../parts/confirmation.tsx'
import { WORKSPACE_PATH } from '../paths.ts'
import { showPage } from '../shell/page.tsx'

export const SWITCH: Shape = { fields: [CONFIRMED, VERSION, 'integration_enabled'] }

export function OffSwitch({ isOn, mayWrite }: { isOn: boolean; mayWrite: boolean }) {
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
          ? 'Partners can push and read. If you switch it off, every call of the integrations API is refused with 403 WORKSPACE_DISABLED. Most senders take that as final and drop what they had to send. The settings and this dashboard keep working.'
          : 'Every call of the integrations API is refused with 403 WORKSPACE_DISABLED.'}
      </p>
      {mayWrite && (
        <a class={isOn ? 'button danger' : 'button'} href={`${WORKSPACE_PATH}integration/`}>
          {isOn ? 'Switch off' : 'Switch on'}
        </a>
      )}
    </article>
  )
}

/** Asks for confirmation before the integration is switched on or off. */
export async function showSwitch(c: Context<AppEnv>, error: ApiError | null) {
  const { name, integration_enabled: isOn, version } = await findWorkspace(c.get('db'))
  const title = isOn ? 'Switch the integration off' : 'Switch the integration on'
  return showPage(
    c,
    title,
    <Confirmation
      question={`${title}?`}
      action={isOn ? 'Switch off' : 'Switch on'}
      look={isOn ? 'danger' : undefined}
      back={WORKSPACE_PATH}
      version={version}
      error={error}
    >
      <input type="hidden" name="integration_enabled" value={String(!isOn)} />
      <p>
        {isOn
          ? `From the next request on, every partner of “${name}” gets 403 WORKSPACE_DISABLED until you switch it on again. Most senders take 403 as final: they do not send again, and what they had to send is lost.`
          : `From the next request on, the partners of “${name}” can use the API again.`}
      </p>
      {isOn && (
        <p>
          Do you only need some time? <a href={`${WORKSPACE_PATH}pause/`}>Pause all instead</a>:
          senders get 503 with Retry-After, which tells them to send again later.
        </p>
      )}
    </Confirmation>,
  )
}
