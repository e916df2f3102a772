import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { webhookAddress } from '../../settings/api-keys/webhooks/changes.ts'
import type { ShownWebhook } from '../../settings/api-keys/webhooks/kind.ts'
import type { WebhookPreset } from '../../settings/webhook-presets/preset-schema.ts'
import { may } from '../access.ts'
import { CopyField } from '../parts/copy-field.tsx'
import { mappingPath, pathWith, webhookPath } from '../paths.ts'
import { showPage } from '../shell/page.tsx'

interface CreatedProps {
  /** Says what else has changed. */
  more?: string | undefined
  /** What to do at the sender, if that is known. */
  preset?: WebhookPreset | null
}

type Created = ShownWebhook & { key: string }

/** Shows the address of a new webhook, once. A reload opens its page and creates no second one. */
export function showAddress(
  c: Context<AppEnv>,
  { key, ...webhook }: Created,
  { more = '', preset = null }: CreatedProps,
) {
  const { id, name, needs_secret } = webhook
  c.status(201)
  return showPage(
    c,
    'Address of a webhook',
    <article class="created" data-address={webhookPath(id)}>
      <h1>The address of “{name}”</h1>
      <p role="status">
        Copy the address now: it is not shown again, and only its hash is stored. Whoever has it may
        try to deliver, so treat it as a secret. {more}
      </p>
      <CopyField label="Address" value={webhookAddress(c, key)} />
      {needs_secret && (
        <p>
          Deliveries are taken once <a href={`${webhookPath(id)}secret/`}>the secret is entered</a>.
        </p>
      )}
      {preset ? (
        <Steps preset={preset} />
      ) : (
        <p>Enter it at the sender as the URL of the webhook.</p>
      )}
      <MappingLink c={c} webhook={webhook} preset={preset} />
      <a class="button" href={webhookPath(id)}>
        I have copied it
      </a>
    </article>,
  )
}

function Steps({ preset: { title, steps } }: { preset: WebhookPreset }) {
  return (
    <>
      <h2>At the sender: {title}</h2>
      <ol>
        {steps.map((step) => (
          <li>{step.replaceAll('{address}', 'the address above')}</li>
        ))}
      </ol>
    </>
  )
}

interface MappingLinkProps {
  c: Context<AppEnv>
  webhook: Pick<ShownWebhook, 'partner_id' | 'rules'>
  preset: WebhookPreset | null
}

/** Without a mapping, documents have to be in our own schema. */
function MappingLink({ c, webhook: { partner_id, rules }, preset }: MappingLinkProps) {
  if (!may(c, 'settings.partners.read')) return null
  const at = mappingPath({ partnerId: partner_id, resource: rules.resource })
  return (
    <p>
      The partner's{' '}
      <a href={pathWith(at, { start: preset?.starter ?? undefined })}>
        mapping of {rules.resource}
      </a>{' '}
      has to understand the documents.
    </p>
  )
}
