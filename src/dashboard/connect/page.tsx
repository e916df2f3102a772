import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { WebhookPreset } from '../../settings/webhook-presets/preset-schema.ts'
import { askedOf } from '../form/version.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Heading } from '../parts/heading.tsx'
import { connectionPath, mappingPath, PARTNERS_PATH, webhookPath } from '../paths.ts'
import { showPage } from '../shell/page.tsx'
import { ARRIVED, Arrived } from './arrived.tsx'
import { CarriedFields } from './carried.tsx'
import { AddressPart, SecretPart } from './secret.tsx'
import type { ConnectionProps } from './shown.ts'
import { TestOutcome } from './tried.tsx'

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
      <AddressPart preset={preset} webhook={webhook} carried={props.carried} />
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

function ArrivedPart({ preset, arrivals, carried, at }: ConnectionProps & { at: string }) {
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

function TestPart(props: ConnectionProps & { at: string }) {
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
