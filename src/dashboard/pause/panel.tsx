import type { ApiError } from '../../engine/errors.ts'
import type { Pause } from '../../engine/model/pause.ts'
import { VersionField } from '../form/version.tsx'
import { Confirmed } from '../parts/confirmation.tsx'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Input } from '../parts/input.tsx'
import { PauseState } from '../parts/pause-state.tsx'
import { Select } from '../parts/select.tsx'
import { TimeInput } from '../ranges/time-input.tsx'
import { LENGTHS, NO_FIELDS, type PauseFields } from './form.ts'

/** A settings record that can be paused. */
export interface Pausable {
  pause: Pause | null
  version: number
  /** Of a key. One that has ended is not paused. */
  status?: string
}

interface PausePanelProps {
  record: Pausable
  /** Where the form is sent. */
  at: string
  /** Whose requests it holds back. */
  whose: string
  /** Whether what arrives meanwhile is kept, instead of being refused. */
  keeps?: boolean | undefined
  mayWrite: boolean
  fields?: PauseFields | null
  error?: ApiError | null
}

/** Whether the record is paused, with the form that pauses or resumes it. */
export function PausePanel(props: PausePanelProps) {
  const { record, at, whose, keeps = false, mayWrite, fields = null, error = null } = props
  const { pause, version, status = 'active' } = record
  const isAsking = fields !== null || pause === null
  return (
    <article id="pause">
      <h2>{pause ? 'Paused' : 'Pause'}</h2>
      <FormError error={error} />
      {pause && (
        <p>
          <PauseState pause={pause} />{' '}
          {pause.note !== null && <small class="line">Note: {pause.note}</small>}
        </p>
      )}
      <p>
        {keeps ? whatIsKept(whose, pause !== null) : whatIsRefused(whose, pause !== null)}
        {record.status === undefined && ' Deliveries to webhooks are kept, and applied after it.'}
      </p>
      {status !== 'active' && (
        <p>
          {`${whose[0]?.toUpperCase()}${whose.slice(1)} is ${status}: its requests are refused in any case.`}
        </p>
      )}
      {mayWrite && status === 'active' && (
        <form method="post" action={at}>
          <Confirmed />
          <VersionField version={version} />
          {isAsking && <PauseInputs fields={fields ?? NO_FIELDS} error={error} />}
          <FormButtons action={isAsking ? 'Pause' : 'Resume'} />
        </form>
      )}
    </article>
  )
}

function whatIsRefused(whose: string, isPaused: boolean): string {
  const what = isPaused
    ? `Each request of ${whose} gets 503 with Retry-After.`
    : `While paused, each request of ${whose} gets 503 with Retry-After: senders that try again later lose nothing.`
  return `${what} The settings and this dashboard work, and what you send again from here is not held back.`
}

function whatIsKept(whose: string, isPaused: boolean): string {
  const what = `each delivery to ${whose} is answered with 200 and kept. It is applied after the end of the pause.`
  return isPaused ? `E${what.slice(1)}` : `While paused, ${what}`
}

function PauseInputs({ fields, error }: { fields: PauseFields; error: ApiError | null }) {
  return (
    <>
      <Select
        label="How long"
        name="length"
        value={fields.length}
        options={LENGTHS}
        error={error}
        help="With an end it resumes by itself. You can resume earlier."
      />
      <TimeInput label="Until (UTC)" name="until" value={fields.until} error={error} />
      <Input
        label="Note"
        name="note"
        value={fields.note}
        error={error}
        help="Why, for your colleagues. Senders do not see it."
      />
    </>
  )
}
