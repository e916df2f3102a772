import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { RESOURCES } from '../../engine/mapping/identifier.ts'
import { may } from '../access.ts'
import { LimitInputs } from '../api-keys/limit-inputs.tsx'
import { type PartnerOption, PartnerSelect } from '../api-keys/partner-select.tsx'
import { type Conflict, FormHead } from '../changed/conflict.tsx'
import { FormButtons } from '../parts/form-buttons.tsx'
import { Input } from '../parts/input.tsx'
import { same } from '../parts/option.ts'
import { Select } from '../parts/select.tsx'
import { TextArea } from '../parts/text-area.tsx'
import type { WebhookFields } from './fields.ts'
import { VerificationInputs } from './verification-inputs.tsx'

interface WebhookFormProps {
  c: Context<AppEnv>
  fields: WebhookFields
  partners: readonly PartnerOption[]
  error: ApiError | null
  conflict: Conflict<WebhookFields> | null
  action: string
  back: string
  /** Further fields, of a new webhook. */
  more?: Child
}

export const WEBHOOK_NAME_HELP =
  'Which system delivers here, and what. The audit log shows this name.'

export function WebhookForm(props: WebhookFormProps) {
  const { c, fields, partners, error, conflict, action, back, more } = props
  return (
    <form method="post" class="webhook">
      <FormHead c={c} error={error} conflict={conflict} version={fields.version} />
      <Input
        label="Name"
        name="name"
        value={fields.name}
        error={error}
        required
        help={WEBHOOK_NAME_HELP}
      />
      <PartnerSelect
        value={fields.partner_id}
        partners={partners}
        own={c.get('caller').partner}
        isBlind={!may(c, 'settings.partners.read')}
        none="Choose a partner"
        help="Its mapping of the resource understands the documents, and the orders belong to it."
        error={error}
      />
      <Select
        label="Resource"
        name="resource"
        value={fields.resource}
        options={RESOURCES.map(same)}
        error={error}
        help="What the documents become. The webhook may do all that this resource allows, with the orders of its partner alone."
      />
      <VerificationInputs fields={fields} error={error} />
      {more}
      <MeaningInputs fields={fields} error={error} />
      <fieldset>
        <legend>Limits</legend>
        <LimitInputs
          what="Deliveries"
          above="What is above the limit gets 429, and its sender has to send it again."
          noun="webhook"
          fields={fields}
          error={error}
        />
      </fieldset>
      <FormButtons action={action} back={back} />
    </form>
  )
}

interface InputsProps {
  fields: WebhookFields
  error: ApiError | null
}

/** How a delivery is understood. */
function MeaningInputs({ fields, error }: InputsProps) {
  const text = (name: keyof WebhookFields) => ({ name, value: fields[name], error })
  return (
    <fieldset>
      <legend>What a delivery means</legend>
      <TextArea
        label="Where the event stands"
        {...text('event')}
        rows={2}
        help="header X-Topic, or path type in the body. Up to three lines are joined by dots. Leave empty if the sender names no event."
      />
      <TextArea
        label="What is done"
        {...text('actions')}
        rows={5}
        help="One event in each line: order.created = upsert. * stands for all other events. The actions are upsert (create or change), cancel (orders), deactivate (products, locations), upload (stock) and skip. Leave empty to take everything."
      />
      <Input
        label="Where the record stands"
        {...text('document')}
        help="The path in the body, such as data.object. Leave empty if the body is the record."
      />
      <TextArea
        label="Take only if"
        {...text('take_if')}
        rows={2}
        help="A condition on the record: @.status == 'processing' || @.status == 'completed'. All others are skipped. Leave empty to take all."
      />
      <TextArea
        label="Cancel or deactivate if"
        {...text('cancel_if')}
        rows={2}
        help="The same, and it comes first: @.status == 'cancelled'."
      />
      <Input
        label="Which one is newer"
        {...text('changed_at')}
        help="The path of a time or number that grows with the record: date_modified_gmt. An older document then changes nothing. Without it the order of arrival counts."
      />
      <Input
        label="The sender's own id"
        {...text('delivery_id')}
        help="header X-Delivery-ID, or a path. You can find deliveries by it; it decides nothing."
      />
      <TextArea
        label="Headers that the mapping reads"
        {...text('headers')}
        rows={2}
        help="One name in each line: X-Shop-Domain, which a mapping reads as $header['X-Shop-Domain']. Never what proves the sender."
      />
      <TextArea
        label="Parameters that the mapping reads"
        {...text('query')}
        rows={2}
        help="Of the query in the address, one in each line: location, which a mapping reads as $query['location']."
      />
    </fieldset>
  )
}
