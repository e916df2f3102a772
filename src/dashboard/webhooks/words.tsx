import {
  ACTIONS_OF,
  type Action,
  ANY_EVENT,
  type WebhookRules,
} from '../../engine/webhooks/rules.ts'
import type { Verification } from '../../engine/webhooks/verification.ts'
import { CodeBlock } from '../parts/code-block.tsx'
import { Fact, Facts } from '../records/facts.tsx'
import { placeText } from './texts.ts'

type Resource = WebhookRules['resource']

const ONE: Record<Resource, string> = {
  orders: 'the order',
  products: 'the product',
  locations: 'the location',
  inventory: 'the stock',
}

/** What the rules of a webhook mean, as sentences, and the rules themselves below. */
export function RulesInWords({ rules }: { rules: WebhookRules }) {
  const { resource, verification, event, delivery_id, document, take_if, cancel_if } = rules
  const beside = [
    ...rules.headers.map((name) => `header ${name}`),
    ...rules.query.map((name) => `parameter ${name}`),
  ]
  return (
    <section>
      <h2>What it does</h2>
      <Facts>
        <Fact name="Who sends" text={proofOf(verification)} />
        <Fact name="Event">
          {event === null ? 'The sender names none.' : <PlacesOfEvent event={event} />}
        </Fact>
        <Fact name="What is done">
          <ActionList rules={rules} />
        </Fact>
        <Fact name="The record">
          {document === null ? 'The body is the record.' : <code>{document}</code>}
        </Fact>
        {cancel_if !== null && (
          <Fact name={resource === 'orders' ? 'Cancels it if' : 'Deactivates it if'}>
            <code>{cancel_if}</code>
          </Fact>
        )}
        {take_if === null ? (
          <Fact name="Takes" text="Every record." />
        ) : (
          <Fact name="Takes it only if">
            <code>{take_if}</code>
          </Fact>
        )}
        <NewerFact rules={rules} />
        {delivery_id !== null && (
          <Fact name="Sender's id">
            <code>{placeText(delivery_id)}</code>
          </Fact>
        )}
        {beside.length > 0 && (
          <Fact name="Also mapped">
            {beside.map((name) => (
              <>
                <code>{name}</code>{' '}
              </>
            ))}
          </Fact>
        )}
      </Facts>
      <details>
        <summary>The rules as JSON</summary>
        <CodeBlock>{JSON.stringify(rules, null, 2)}</CodeBlock>
      </details>
    </section>
  )
}

function PlacesOfEvent({ event }: { event: NonNullable<WebhookRules['event']> }) {
  const places = [event].flat()
  return (
    <>
      {places.map((place, at) => (
        <>
          {at > 0 && ' and '}
          <code>{placeText(place)}</code>
        </>
      ))}
      {places.length > 1 && ', joined by a dot'}
    </>
  )
}

/** Events of one action stand together. */
function ActionList({ rules: { resource, actions } }: { rules: WebhookRules }) {
  const rest = actions[ANY_EVENT] ?? ACTIONS_OF[resource][0]
  const named = Object.entries(actions).filter(([event]) => event !== ANY_EVENT)
  const byAction = Map.groupBy(named, ([, action]) => action)
  if (named.length === 0) return <>{sentenceOf(rest, resource)}</>
  return (
    <ul class="plain">
      {Array.from(byAction, ([action, events]) => (
        <li>
          {events.map(([event]) => (
            <>
              <code>{event}</code>{' '}
            </>
          ))}
          {deedOf(action, resource)}
        </li>
      ))}
      <li>all other events: {deedOf(rest, resource)}</li>
    </ul>
  )
}

function NewerFact({ rules: { changed_at, resource } }: { rules: WebhookRules }) {
  if (resource === 'inventory') return null
  return (
    <Fact name="Which is newer">
      {changed_at === null ? (
        'The one that arrived later.'
      ) : (
        <>
          The one with the later <code>{changed_at}</code>: an older document changes nothing.
        </>
      )}
    </Fact>
  )
}

function deedOf(action: Action, resource: Resource): string {
  const one = ONE[resource]
  const deeds: Record<Action, string> = {
    upsert: `creates or changes ${one}`,
    cancel: `cancels ${one}`,
    deactivate: `deactivates ${one}`,
    upload: 'sets the stock',
    skip: 'skipped',
  }
  return deeds[action]
}

function sentenceOf(action: Action, resource: Resource): string {
  return action === 'skip'
    ? 'Every delivery is skipped.'
    : `Every delivery ${deedOf(action, resource)}.`
}

const ALGORITHMS: Record<string, string> = { sha256: 'SHA-256', sha1: 'SHA-1', sha512: 'SHA-512' }

/** What proves who sends, in a sentence or two. */
export function proofOf(verification: Verification): string {
  switch (verification.kind) {
    case 'address':
      return 'Nothing but the address: whoever knows it may deliver.'
    case 'basic':
      return `A user name (${verification.username}) and a password.`
    case 'token':
      return `The secret in the header ${verification.header}${after(verification.prefix)}.`
    case 'hmac':
      return `HMAC with ${ALGORITHMS[verification.algorithm]} in the header ${verification.header}${after(verification.prefix)}, as ${verification.encoding}, over ${contentOf(verification.signed)}.${ageOf(verification)}`
    default:
      return `A signature by ${verification.algorithm} in the header ${verification.header}, over ${contentOf(verification.signed)}. ${keysOf(verification.keys.length)}${ageOf(verification)}`
  }
}

function after(prefix: string | undefined): string {
  return prefix === undefined ? '' : ` after “${prefix}”`
}

function contentOf(signed: string): string {
  return signed === '{body}' ? 'the body' : signed
}

function keysOf(keys: number): string {
  return keys === 1 ? 'One public key checks it.' : `${keys} public keys check it.`
}

function ageOf({ timestamp }: Extract<Verification, { timestamp?: unknown }>): string {
  return timestamp ? ` It may be ${timestamp.tolerance_s} s old.` : ''
}
