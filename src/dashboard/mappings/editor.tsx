import { LAST_DEFAULT } from '../../settings/mappings/schema.ts'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Faults } from './findings.tsx'
import { IdentifierInput, type IdentifierProps } from './identifier.tsx'
import { PreviewPane } from './preview.tsx'
import type { Replay } from './replay.ts'
import { ReplayPane } from './replay-pane.tsx'
import { isRefused, RulesFields } from './rules.tsx'
import { SampleFields, type SampleProps } from './sample.tsx'
import { Suggestions } from './suggestions.tsx'

interface EditorProps extends IdentifierProps, SampleProps {
  /** Null if the draft was not tried on kept documents. */
  replay: Replay | null
  /** Whether the session's key may read documents. */
  mayReplay: boolean
}

export function MappingEditor(props: EditorProps) {
  const { at, partner, resource, draft, replay, mayReplay, error } = props
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
        <Syntax />
        <Suggestions resource={resource} />
        <ReplayPane place={{ partnerId: partner.id, resource }} replay={replay} />
        {!mayReplay && (
          <p class="how">
            Your key may not try the rules on kept documents: it lacks the scope
            settings.documents.read, or is linked to a partner.
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
        <q>each element of</q> chooses the elements of an array of ours: <code>items[]</code> from{' '}
        <code>lines[?@.qty &gt; 0]</code>.
      </p>
      <noscript>
        <p>To remove a rule, clear all of its fields.</p>
      </noscript>
    </div>
  )
}
