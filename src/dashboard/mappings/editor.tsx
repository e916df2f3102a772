import type { ApiError } from '../../engine/errors.ts'
import {
  IDENTIFIERS,
  identifierField,
  isAddressable,
  type Resource,
} from '../../engine/mapping/identifier.ts'
import { LAST_DEFAULT } from '../../settings/mappings/schema.ts'
import { VersionField } from '../form/version.tsx'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Input } from '../parts/input.tsx'
import type { Draft } from './draft.ts'
import { Faults } from './findings.tsx'
import { recordFieldsOf, targetsOf } from './known-fields.ts'
import { PreviewPane } from './preview.tsx'
import type { Replay } from './replay.ts'
import { ReplayPane } from './replay-pane.tsx'
import { isRefused, RulesFields } from './rules.tsx'
import { SampleFields, type SampleProps } from './sample.tsx'

interface IdentifierProps {
  partner: Partner
  resource: Resource
  draft: Draft
  error: ApiError | null
}

interface Partner {
  id: string
  default_identifier_field: string | null
}

interface EditorProps extends IdentifierProps, SampleProps {
  /** Null if the draft was not tried on kept documents. */
  replay: Replay | null
  /** Whether the session's key may read documents. */
  mayReplay: boolean
  /** Of the saved mapping; 0 if there is none. */
  version: string
  /** What others have changed meanwhile. */
  conflict?: unknown
}

export function MappingEditor(props: EditorProps) {
  const { at, partner, resource, draft, replay, mayReplay, version, conflict, error } = props
  const isOutboundOpen = draft.outbound.unmapped !== '' || draft.outbound.rows.length > 0
  return (
    <form method="post" action={at} class="mapping-editor" data-preview-at={`${at}preview/`}>
      <div class="mapping">
        {conflict || <FormError error={error} />}
        <VersionField version={version} />
        {error?.details.fields && <Faults faults={error.details.fields} />}
        <IdentifierInput {...props} />
        <h2>Inbound: their document to our record</h2>
        <RulesFields direction="inbound" rules={draft.inbound} error={error} />
        <details open={isOutboundOpen || isRefused(error, 'outbound')}>
          <summary>Outbound: our record to theirs</summary>
          <RulesFields direction="outbound" rules={draft.outbound} error={error} />
        </details>
        <Syntax />
        <Suggestions resource={resource} />
        <ReplayPane place={{ partnerId: partner.id, resource }} replay={replay} />
        {!mayReplay && (
          <p class="how">
            You may not try the rules on kept documents: you lack the scope settings.documents.read,
            or your key is linked to a partner.
          </p>
        )}
        <FormButtons action="Save mapping" back={`/dashboard/partners/${partner.id}/`}>
          {mayReplay && <ReplayButton at={at} />}
        </FormButtons>
      </div>
      <SampleFields {...props} />
      <PreviewPane at={at} trial={props.trial} />
    </form>
  )
}

/** After "Save mapping" in the form: Enter in a field presses the first button. */
function ReplayButton({ at }: { at: string }) {
  return (
    <button
      type="submit"
      class="secondary"
      formaction={`${at}replay/#replay`}
      data-replay-button
    >{`Try on the last ${LAST_DEFAULT} documents`}</button>
  )
}

function Syntax() {
  return (
    <div class="how">
      <p>
        Write a path as <code>header.number</code>, <code>refs[0].id</code>,{' '}
        <code>lines[].qty</code> for each line, <code>ship_to['tel.main']</code>, or{' '}
        <code>notes[?@.kind == 'gift'].text</code> for the one where this holds. <code>a | b</code>{' '}
        is the first that has a value. Joined texts are such as <code>"No. " + header.number</code>.{' '}
        <code>$header['X-Shop-Domain']</code> and <code>$query['location']</code> are what comes
        beside a delivery, if its webhook lists it. <q>each element of</q> chooses the elements of
        an array of ours: <code>items[]</code> from <code>lines[?@.qty &gt; 0]</code>.
      </p>
      <noscript>
        <p>To remove a rule, clear all of its fields.</p>
      </noscript>
    </div>
  )
}

/** Nothing for inventory, which is always addressed by a location code or a SKU. */
function IdentifierInput({ partner, resource, draft, error }: IdentifierProps) {
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
      help={`The field that identifies a record in the partner's calls: one of ours, or ${object}.<key>. Leave empty for ${byDefault}.`}
    />
  )
}

/** The id of a list is the name of its input, in the plural. The script reads the kinds of our fields from it. */
function Suggestions({ resource }: { resource: Resource }) {
  const identifiers = isAddressable(resource) ? IDENTIFIERS[resource].fields : []
  return (
    <>
      <Suggested id="identifiers" texts={identifiers} />
      <datalist id="inbound.targets">
        {targetsOf(resource).map(({ path, kind, methods }) => (
          <option value={path} data-kind={kind} data-methods={methods.join(' ')} />
        ))}
      </datalist>
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
