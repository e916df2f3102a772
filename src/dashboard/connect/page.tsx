import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { needsSecret } from '../../engine/webhooks/secret.ts'
import type { ShownWebhook } from '../../settings/api-keys/webhooks/kind.ts'
import type { WebhookPreset } from '../../settings/webhook-presets/preset-schema.ts'
import { askedOf, VersionField } from '../form/version.tsx'
import { CopyField } from '../parts/copy-field.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Heading } from '../parts/heading.tsx'
import { Input } from '../parts/input.tsx'
import { Time } from '../parts/time.tsx'
import { connectionPath, mappingPath, PARTNERS_PATH, webhookPath } from '../paths.ts'
import { showPage } from '../shell/page.tsx'
import { ARRIVED, Arrived, type arrivalsAt } from './arrived.tsx'
import { type Carried, CarriedFields } from './carried.tsx'
import { TestOutcome, type TestResult } from './tested.tsx'

/** What the page of a connection shows. */
interface ConnectionProps {
  preset: WebhookPreset
  webhook: ShownWebhook
  /** Of the partner, for the documents: made for this, or kept from before. */
  mapping: 'made' | 'kept' | 'there' | 'none'
  carried: Carried
  arrivals: Awaited<ReturnType<typeof arrivalsAt>>
  result: TestResult | null
  error: ApiError | null
}

/** What its parts show, with the path of the page. */
type PartProps = ConnectionProps & { at: string }

/** The page of a connection: what the person does next, and what has arrived. */
export function showConnection(c: Context<AppEnv>, props: ConnectionProps) {
  const { preset, webhook, arrivals, error } = props
  const at = connectionPath(preset.name, webhook.id)
  return showPage(
    c,
    webhook.name,
    <div class="connection" data-address={at}>
      <Heading text={webhook.name}>
        <a href={webhookPath(webhook.id)}>Webhook</a>
        <a href={`${PARTNERS_PATH}${webhook.partner_id}/`}>Partner</a>
        {!isUsed(arrivals) && <a href={askedOf(`${at}undo/`, webhook.version)}>Undo</a>}
      </Heading>
      <p>{preset.title}</p>
      {!error?.details.fields && <FormError error={error} />}
      <AddressPart webhook={webhook} carried={props.carried} />
      <SecretPart {...props} at={at} />
      <Steps preset={preset} />
      <ArrivedPart {...props} at={at} />
      <TestPart {...props} at={at} />
    </div>,
  )
}

/** What was refused for its signature is no delivery. */
function isUsed(arrivals: ConnectionProps['arrivals']): boolean {
  return arrivals?.first != null || arrivals?.newest?.outcome != null
}

function AddressPart({ webhook, carried }: Pick<ConnectionProps, 'webhook' | 'carried'>) {
  return (
    <section>
      <h2>Address</h2>
      {carried.address === '' ? (
        <p>
          <code>{webhook.hint}</code> The address was shown when it was made, and is stored nowhere.
          A lost one is replaced: <a href={webhookPath(webhook.id)}>rotate it</a>.
        </p>
      ) : (
        <>
          <p>
            Copy it now: it is not shown again. Whoever knows it can try to deliver: treat it as a
            password.
          </p>
          <CopyField label="Address" value={carried.address} />
        </>
      )}
    </section>
  )
}

function SecretPart(props: PartProps) {
  const { webhook, preset, carried } = props
  if (!needsSecret(webhook.rules.verification)) return null
  const label = preset.secret?.label ?? 'Secret'
  return (
    <section>
      <h2>{label}</h2>
      {carried.secret !== '' && (
        <>
          <p>It is saved here already. Copy it into the other system: it is not shown again.</p>
          <CopyField label={label} value={carried.secret} />
        </>
      )}
      {webhook.needs_secret ? (
        <SecretForm {...props} label={label} />
      ) : (
        <>
          {carried.secret === '' && <SetAt webhook={webhook} />}
          <details open={props.error !== null}>
            <summary>Enter another one</summary>
            <SecretForm {...props} label={label} />
          </details>
        </>
      )}
    </section>
  )
}

function SetAt({ webhook }: Pick<ConnectionProps, 'webhook'>) {
  return (
    <p>
      It is saved, since <Time at={webhook.secrets[0]?.set_at ?? null} />.
    </p>
  )
}

function SecretForm({ preset, webhook, carried, error, at, label }: PartProps & { label: string }) {
  return (
    <form method="post" action={`${at}secret/`}>
      {error?.details.fields && <FormError error={error} />}
      <CarriedFields carried={carried} />
      <VersionField version={webhook.version} />
      <Input
        label={label}
        name="secret"
        type="password"
        value=""
        error={error}
        required
        help={preset.secret?.chosen_here ? SAME : (preset.secret?.where ?? SAME)}
      />
      <button type="submit">Save</button>
    </form>
  )
}

const SAME = 'The same as in the other system.'

function Steps({ preset }: { preset: WebhookPreset }) {
  return (
    <section>
      <h2>Steps in the other system</h2>
      <ol class="steps">
        {preset.steps.map((step) => (
          <li>{step.replace('{address}', 'the address above')}</li>
        ))}
      </ol>
    </section>
  )
}

function ArrivedPart({ preset, arrivals, carried, at }: PartProps) {
  return (
    <section>
      <h2>What has arrived</h2>
      <div id={ARRIVED} role="status" data-arrived={arrivals ? `${at}arrived/` : undefined}>
        <Arrived preset={preset} arrivals={arrivals} />
      </div>
      <form method="post" action={at}>
        <CarriedFields carried={carried} />
        <button type="submit" class="outline secondary">
          Check again
        </button>
      </form>
    </section>
  )
}

function TestPart(props: PartProps) {
  const { preset, webhook, mapping, result, carried, at } = props
  const { partner_id, rules } = webhook
  const editor = mappingPath({ partnerId: partner_id, resource: rules.resource })
  return (
    <section>
      <h2>Send a test</h2>
      <TestOutcome result={result} />
      {preset.test_document === null || rules.verification.kind === 'public_key' ? (
        <p>{untestable(preset)}</p>
      ) : (
        <form method="post" action={`${at}test/`}>
          <CarriedFields carried={carried} />
          <p>
            Crossdock signs an example document with the secret of this webhook and delivers it to
            itself. It writes nothing.
          </p>
          <button type="submit" class="secondary">
            Send a test
          </button>
        </form>
      )}
      <p>
        {MAPPED[mapping]}{' '}
        <a href={editor}>{mapping === 'none' ? 'Create the mapping' : 'Edit the mapping'}</a>
      </p>
    </section>
  )
}

const MAPPED = {
  made: 'A mapping was made that turns the documents into ours.',
  there: 'The mapping of the partner turns the documents into ours.',
  kept: 'The partner had a mapping for these documents before, which stays: see whether it suits this system.',
  none: 'The partner has no mapping for these documents yet: they have to be as the API takes them.',
}

function untestable({ rules, test_document }: WebhookPreset): string {
  return test_document !== null && rules.verification.kind === 'public_key'
    ? 'Only the other system can sign, with its private key: Crossdock cannot send a test in its place. Let that system send a first delivery.'
    : 'There is no example document of this system: let it send a first delivery.'
}
