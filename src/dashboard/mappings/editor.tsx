import type { ApiError } from '../../errors.ts'
import {
  IDENTIFIERS,
  identifierField,
  isAddressable,
  type Resource,
} from '../../mapping/identifier.ts'
import { FormButtons, FormError, Input, Select } from '../controls.tsx'
import type { Draft } from './draft.ts'
import { recordFieldsOf, targetsOf } from './known-fields.ts'
import { Faults, PreviewPane } from './preview.tsx'
import { isRefused, RulesFields } from './rules.tsx'
import { methodsOf, type Sample, type Trial } from './trial.ts'

// What a partner's document may look like.
const EXAMPLES: Record<Resource, object> = {
  orders: { header: { number: 'A-1001' }, lines: [{ article: { code: 'TEA-01' }, qty: 4 }] },
  products: { article: { code: 'TEA-01' }, stock: { on_hand: 120 }, price: '3.20' },
  locations: { bin: 'D-04/2', label: 'Overflow rack', area: { zone: 'D', aisle: '04' } },
  inventory: { stock: [{ bin: 'D-04/2', article: 'TEA-01', on_hand: 120 }] },
}

export interface Partner {
  id: string
  default_identifier_field: string | null
}

export interface EditorProps {
  /** Where the form is sent to be saved. */
  at: string
  partner: Partner
  resource: Resource
  draft: Draft
  sample: Sample
  trial: Trial
  error: ApiError | null
}

export function MappingEditor(props: EditorProps) {
  const { at, partner, resource, draft, error } = props
  const isOutboundOpen = draft.outbound.unmapped !== '' || draft.outbound.rows.length > 0
  return (
    <form method="post" action={at} class="mapping-editor" data-preview-at={`${at}preview/`}>
      <div class="mapping">
        <FormError error={error} />
        {error?.details.fields && <Faults faults={error.details.fields} />}
        <IdentifierInput {...props} />
        <h2>Inbound: their document to our record</h2>
        <RulesFields direction="inbound" rules={draft.inbound} error={error} />
        <details open={isOutboundOpen || isRefused(error, 'outbound')}>
          <summary>Outbound: our record to theirs</summary>
          <RulesFields direction="outbound" rules={draft.outbound} error={error} />
        </details>
        <p class="how">
          A path is written <code>header.number</code>, <code>refs[0].id</code>,{' '}
          <code>lines[].qty</code> for each line, or <code>ship_to['tel.main']</code>.{' '}
          <noscript>To remove a rule, clear both of its fields.</noscript>
        </p>
        <Suggestions resource={resource} />
        <FormButtons action="Save mapping" back={`/dashboard/partners/${partner.id}/`} />
      </div>
      <SampleFields {...props} />
      <PreviewPane trial={props.trial} />
    </form>
  )
}

/** Inventory is addressed by the codes of locations and products, always. */
function IdentifierInput({ partner, resource, draft, error }: EditorProps) {
  if (!isAddressable(resource)) return null
  const { object } = IDENTIFIERS[resource]
  const byDefault = identifierField(resource, { ...partner, mappings: {} })
  return (
    <Input
      label="Identifier field"
      name="identifier_field"
      value={draft.identifier_field}
      error={error}
      list="identifiers"
      placeholder={byDefault}
      help={`What addresses a record in the partner's calls: a field of ours, or ${object}.<key>. Empty: ${byDefault}.`}
    />
  )
}

function SampleFields({ at, resource, sample, trial }: EditorProps) {
  const methods = methodsOf(resource).map((method) => [method, methodText(method)] as const)
  const fault = trial.state === 'unreadable' ? trial.fault : null
  return (
    <section class="sample" aria-label="Their document">
      <div class="field">
        <label for="document">Try it: a document of theirs, as JSON</label>
        <textarea
          id="document"
          name="document"
          rows={12}
          spellcheck={false}
          autocomplete="off"
          placeholder={JSON.stringify(EXAMPLES[resource], null, 2)}
          aria-invalid={fault ? 'true' : undefined}
          aria-describedby="verdict"
        >
          {`\n${sample.document}`}
        </textarea>
      </div>
      {methods.length > 1 && (
        <Select
          label="Sent to"
          name="method"
          value={sample.method}
          options={methods}
          error={null}
        />
      )}
      <button type="submit" class="secondary" formaction={`${at}preview/`} data-preview-button>
        Preview
      </button>
    </section>
  )
}

function methodText(method: string): string {
  return method === 'POST' ? 'create (POST)' : 'change (PUT)'
}

/** The names of the lists are those of the fields that they are for, in the plural. */
function Suggestions({ resource }: { resource: Resource }) {
  const identifiers = isAddressable(resource) ? IDENTIFIERS[resource].fields : []
  return (
    <>
      <Suggested id="identifiers" texts={identifiers} />
      <Suggested id="inbound.targets" texts={targetsOf(resource)} />
      <Suggested id="inbound.sources" texts={[]} />
      <Suggested id="outbound.sources" texts={recordFieldsOf(resource)} />
    </>
  )
}

function Suggested({ id, texts }: { id: string; texts: readonly string[] }) {
  return (
    <datalist id={id}>
      {texts.map((text) => (
        <option value={text} />
      ))}
    </datalist>
  )
}
