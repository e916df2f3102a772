import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { RESOURCES } from '../../engine/mapping/identifier.ts'
import type { Starter } from '../../settings/mapping-starters/starters.ts'
import type { WebhookPreset } from '../../settings/webhook-presets/preset-schema.ts'
import { partnersOf } from '../form/choices.ts'
import type { Form } from '../form/form.ts'
import { LabelledControl } from '../parts/field.tsx'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Input } from '../parts/input.tsx'
import { same, withChosen } from '../parts/option.ts'
import { Select } from '../parts/select.tsx'
import { CONNECT_PATH } from '../paths.ts'
import { showNarrowPage } from '../shell/narrow-page.tsx'
import { KEYS, type OpenField, openFields, prefixOf, RESOURCE, takesKeys } from './fields.ts'
import { carriesNothing, isOpen } from './preset.ts'

interface NewProps {
  preset: WebhookPreset
  starter: Starter | null
  /** As it was sent; null for a new form. */
  form: Form | null
  error: ApiError | null
}

/** The form that connects a system. */
export async function showNewConnection(c: Context<AppEnv>, props: NewProps) {
  const { preset, error } = props
  const partners = await partnersOf(c)
  return showNarrowPage(
    c,
    `Connect ${preset.title}`,
    <>
      {carriesNothing(preset) ? <p class="form-error">{preset.about}</p> : <p>{preset.about}</p>}
      <form method="post" class="connect">
        <FormError error={error} />
        <PartnerFields {...props} partners={partners} />
        <OwnFields {...props} origin={c.get('exchange').url.origin} />
        <FormButtons action="Connect" back={CONNECT_PATH} />
      </form>
    </>,
  )
}

interface PartnerFieldsProps extends NewProps {
  partners: { id: string; name: string }[]
}

function PartnerFields({ form, error, partners }: PartnerFieldsProps) {
  const chosen = form?.text('partner_id') ?? ''
  const options = partners.map(({ id, name }) => [id, name] as const)
  return (
    <>
      <Input
        label="Name"
        name="name"
        value={form?.text('name') ?? ''}
        error={error}
        help="What you call this shop or system. It becomes a partner of this name."
      />
      {partners.length === 0 ? (
        <input type="hidden" name="partner_id" value={chosen} />
      ) : (
        <Select
          label="Or a partner that is there"
          name="partner_id"
          value={chosen}
          options={withChosen([['', 'A new partner'], ...options], chosen)}
          error={error}
          help="A system that belongs to a partner you have already. Its name stays."
        />
      )}
    </>
  )
}

function OwnFields({ preset, starter, form, error, origin }: NewProps & { origin: string }) {
  const prefix = prefixOf(starter)
  return (
    <>
      {isOpen(preset) && (
        <Select
          label="What it delivers"
          name={RESOURCE}
          value={form?.text(RESOURCE) ?? 'orders'}
          options={RESOURCES.map(same)}
          error={error}
        />
      )}
      {prefix !== null && (
        <Input
          label="Before each order number"
          name="prefix"
          value={form?.raw('prefix') ?? prefix}
          error={error}
          help="Order numbers are unique across all partners: give each shop its own beginning. It may be empty."
        />
      )}
      {openFields(preset, origin).map((field) => (
        <Open field={field} form={form} error={error} />
      ))}
      {takesKeys(preset) && <Keys value={form?.raw(KEYS) ?? ''} error={error} />}
      <Input
        label="Deliveries per minute"
        name="rate_limit"
        type="number"
        min={1}
        value={form?.text('rate_limit') ?? ''}
        error={error}
        placeholder="no limit"
        help="Beyond it the system hears 429. Few systems send such a delivery again: leave it empty if in doubt."
      />
    </>
  )
}

function Open({ field, form, error }: { field: OpenField } & Pick<NewProps, 'form' | 'error'>) {
  const { options, ...shown } = field
  const value = form?.raw(field.name) ?? field.value
  return options ? (
    <Select {...shown} value={value} options={options.map(same)} error={error} />
  ) : (
    <Input {...shown} value={value} error={error} />
  )
}

function Keys({ value, error }: { value: string; error: ApiError | null }) {
  return (
    <LabelledControl
      label="Public key"
      name={KEYS}
      error={error}
      help="As PEM, which begins with -----BEGIN PUBLIC KEY-----, or as JWK, which begins with {."
      control={(state) => (
        <textarea id={KEYS} name={KEYS} rows={6} spellcheck={false} {...state}>
          {value}
        </textarea>
      )}
    />
  )
}
