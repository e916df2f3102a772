import type { WebhookPreset } from '../../settings/webhook-presets/preset-schema.ts'
import { Select } from '../parts/select.tsx'
import { NEW_WEBHOOK_PATH } from '../paths.ts'

interface PresetChoiceProps {
  presets: readonly WebhookPreset[]
  chosen: WebhookPreset | null
  /** The partner that the page was opened for. */
  partner_id: string | undefined
}

/** Fills in the form for a well-known system. Nothing is saved by it. */
export function PresetChoice({ presets, chosen, partner_id }: PresetChoiceProps) {
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
