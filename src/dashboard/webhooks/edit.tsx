import type { Context } from 'hono'
import type { AppEnv, Bindings } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { findKey } from '../../settings/api-keys/queries.ts'
import { webhooksOf } from '../../settings/api-keys/webhooks/kind.ts'
import type { WebhookPreset } from '../../settings/webhook-presets/preset-schema.ts'
import { listPresets } from '../../settings/webhook-presets/presets.ts'
import { conflictOf } from '../changed/conflict.tsx'
import { partnersOf } from '../form/choices.ts'
import { Select } from '../parts/select.tsx'
import { NEW_WEBHOOK_PATH, WEBHOOKS_PATH, webhookPath } from '../paths.ts'
import { showNarrowPage } from '../shell/narrow-page.tsx'
import { fieldsOfWebhook, formerWebhook, type WebhookFields } from './fields.ts'
import { WebhookForm } from './form.tsx'
import { atFields } from './input.ts'
import { SecretInput } from './secret.tsx'

/** The form for a new webhook, filled in from a preset or by hand. */
export async function showNewWebhook(
  c: Context<AppEnv>,
  fields: WebhookFields,
  preset: string,
  error: ApiError | null,
) {
  const [presets, partners] = await Promise.all([presetsOf(c.env), partnersOf(c)])
  const chosen = presets.find(({ name }) => name === preset) ?? null
  return showNarrowPage(
    c,
    'Create a webhook',
    <>
      <PresetChoice presets={presets} chosen={chosen} partner_id={c.req.query('partner_id')} />
      <WebhookForm
        c={c}
        fields={fields}
        partners={partners}
        error={error && atFields(error, fields)}
        conflict={null}
        action="Create webhook"
        back={WEBHOOKS_PATH}
        more={<NewSecret chosen={chosen} preset={preset} error={error} />}
      />
    </>,
  )
}

interface PresetChoiceProps {
  presets: readonly WebhookPreset[]
  chosen: WebhookPreset | null
  /** The partner that the page was opened for. */
  partner_id: string | undefined
}

/** Fills in the form for a well-known system. Nothing is saved by it. */
function PresetChoice({ presets, chosen, partner_id }: PresetChoiceProps) {
  if (presets.length === 0) return null
  const options = [
    ['', 'nothing'] as const,
    ...presets.map(({ name, title }) => [name, title] as const),
  ]
  return (
    <>
      <form method="get" action={NEW_WEBHOOK_PATH} class="starter">
        {partner_id && <input type="hidden" name="partner_id" value={partner_id} />}
        <Select
          label="Start from"
          name="preset"
          value={chosen?.name ?? ''}
          options={options}
          error={null}
        />
        <button type="submit" class="secondary">
          Fill in
        </button>
      </form>
      {chosen && <Notes preset={chosen} />}
    </>
  )
}

function Notes({ preset: { title, about, differs, sender } }: { preset: WebhookPreset }) {
  return (
    <section class="starter-notes" aria-label="Notes on the preset">
      <p>
        Below are the rules for {title}. Nothing is saved yet. {about}
      </p>
      {differs && <p>{differs}</p>}
      {sender && (
        <p>
          What counts as failed: {sender.fails} It waits: {sender.waits} It tries again:{' '}
          {sender.tries} Then: {sender.gives_up}
        </p>
      )}
    </section>
  )
}

interface NewSecretProps {
  chosen: WebhookPreset | null
  preset: string
  error: ApiError | null
}

function NewSecret({ chosen, preset, error }: NewSecretProps) {
  const where = chosen?.secret ? `${chosen.secret.label}: ${chosen.secret.where}` : undefined
  return (
    <div class="secret">
      <input type="hidden" name="preset" value={preset} />
      <SecretInput
        error={error}
        help={`${where ?? 'What both sides know. A public key or the address alone needs none.'} You can enter it later, but deliveries are taken only then.`}
      />
    </div>
  )
}

/** By name. None if they cannot be read: the form works without. */
async function presetsOf(env: Bindings): Promise<WebhookPreset[]> {
  return await listPresets(env).catch(() => [])
}

/** `sent` are the submitted values, null to show the saved ones. */
export async function showWebhookForm(
  c: Context<AppEnv>,
  id: string,
  sent: WebhookFields | null,
  error: ApiError | null,
) {
  const [webhook, partners] = await Promise.all([
    findKey(webhooksOf(c), c.get('db'), id),
    partnersOf(c),
  ])
  const now = fieldsOfWebhook(webhook)
  const fields = sent ?? now
  const parts = { now, sent: fields, formerOf: formerWebhook }
  const conflict = await conflictOf(c, error, { record_id: id }, parts)
  return showNarrowPage(
    c,
    'Edit webhook',
    <WebhookForm
      c={c}
      fields={conflict?.fields ?? fields}
      partners={partners}
      error={error && atFields(error, fields)}
      conflict={conflict}
      action="Save"
      back={webhookPath(id)}
    />,
  )
}
