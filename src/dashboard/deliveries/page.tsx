import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError } from '../../engine/errors.ts'
import { memoryFor } from '../../middleware/document-access.ts'
import { findDelivery } from '../../requests/deliveries/queries.ts'
import { may } from '../access.ts'
import { Confirmed } from '../parts/confirmation.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Heading } from '../parts/heading.tsx'
import { count } from '../parts/numbers.ts'
import { reasonText } from '../parts/reason-text.ts'
import { Time } from '../parts/time.tsx'
import { deliveriesPath, deliveryPath, webhookPath } from '../paths.ts'
import { Fact, Facts } from '../records/facts.tsx'
import { KnownPartnerName } from '../records/names.tsx'
import { MarkedText } from '../requests/document.tsx'
import { faultsOf } from '../requests/faults.ts'
import { pretty } from '../requests/pretty.ts'
import { showPage } from '../shell/page.tsx'
import { CreateAll, productsMissing } from './create-all.tsx'
import { showEnded } from './ended.tsx'
import { NextTry } from './list.tsx'
import { type Known, knownAbout, NeededThing, NeedRemedy } from './remedy.tsx'
import { Requests, requestsOf } from './tries.tsx'
import { documentName } from './words.ts'

export type Delivery = Awaited<ReturnType<typeof findDelivery>>

/** A delivery that waits; of one that has ended, what became of it. */
export async function showDelivery(c: Context<AppEnv>, id: string, error: ApiError | null) {
  try {
    return await showWaiting(c, await findDelivery(c.get('db'), id), error)
  } catch (missing) {
    if (!(missing instanceof ApiError && missing.code === 'NOT_FOUND')) throw missing
    return await showEnded(c, id, missing, error)
  }
}

async function showWaiting(c: Context<AppEnv>, delivery: Delivery, error: ApiError | null) {
  const { delivery_id, request_id, resource, record, body } = delivery
  const isRow = delivery_id !== request_id
  await memoryFor(c)(body.length)
  const [known, requests] = await Promise.all([
    knownAbout(c, [delivery]),
    requestsOf(c, request_id),
  ])
  // A try of an upload is about all its rows, not this one.
  const missing = isRow ? [] : await productsMissing(c, delivery, requests)
  const title = `Delivery of ${documentName(resource, record)}`
  return showPage(
    c,
    title,
    <>
      <Heading text={title}>
        <a href={deliveriesPath()}>All deliveries</a>
        {may(c, 'settings.deliveries.write') && (
          <a href={`${deliveryPath(delivery_id)}dismiss/`}>Dismiss</a>
        )}
      </Heading>
      <FormError error={error} />
      <Needs c={c} delivery={delivery} known={known} missing={missing} />
      <DeliveryFacts c={c} delivery={delivery} known={known} />
      <section class="document">
        <h2>{isRow ? 'The row' : 'The document'}</h2>
        <MarkedText
          text={pretty(body)}
          type={delivery.content_type}
          faults={faultsOf(isRow ? null : (requests?.details ?? null))}
        />
      </section>
      <Requests requests={requests} isRow={isRow} />
    </>,
  )
}

interface PartProps {
  c: Context<AppEnv>
  delivery: Delivery
  known: Known
}

/** What it waits for, and what to do about it. */
function Needs({ c, delivery, known, missing }: PartProps & { missing: string[] }) {
  return (
    <section class="outcome">
      <p class="form-error">{reasonText(delivery.message)}</p>
      <p>
        It waits for <NeededThing of={delivery} known={known} />.{' '}
        <NeedRemedy c={c} of={delivery} known={known} next_try={delivery.due_at} />
      </p>
      <CreateAll c={c} resource="products" names={missing} />
      {may(c, 'settings.deliveries.write') && (
        <form method="post" action={`${deliveryPath(delivery.delivery_id)}apply/`}>
          <Confirmed />
          <div class="buttons">
            <button type="submit">Apply now</button>
          </div>
        </form>
      )}
    </section>
  )
}

function DeliveryFacts({ c, delivery, known }: PartProps) {
  const { webhook_id, partner_id, event, sender_id } = delivery
  const partner = known.partners.get(partner_id)
  return (
    <Facts>
      <Fact name="State">waiting</Fact>
      <Fact name="Record" text={delivery.record} />
      <Fact name="Partner">
        <KnownPartnerName id={partner_id} known={partner} />
      </Fact>
      <Fact name="Webhook">
        {may(c, 'settings.keys.read') ? (
          <a href={webhookPath(webhook_id)}>Its page</a>
        ) : (
          <code>{webhook_id}</code>
        )}
      </Fact>
      <Fact name="Event" text={event} />
      <Fact name="Sender's id" text={sender_id} />
      <Fact name="Arrived">
        <Time at={delivery.created_at} seconds />
      </Fact>
      <Fact name="Tried again" text={count(delivery.tries)} />
      <Fact name="Next try">
        <NextTry row={delivery} />
      </Fact>
      <Fact name="Ends">
        <Time at={delivery.ends_at} />
      </Fact>
      <Fact name="Error">
        <code>{delivery.error_code}</code>
      </Fact>
      <Fact name="Size" text={`${count(delivery.bytes)} bytes`} />
      <Fact name="Id">
        <code>{delivery.delivery_id}</code>
      </Fact>
    </Facts>
  )
}
