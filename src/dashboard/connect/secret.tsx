import { needsSecret } from '../../engine/webhooks/secret.ts'
import { VersionField } from '../form/version.tsx'
import { CopyField } from '../parts/copy-field.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Input } from '../parts/input.tsx'
import { Time } from '../parts/time.tsx'
import { webhookPath } from '../paths.ts'
import { CarriedFields } from './carried.tsx'
import type { ConnectionProps } from './shown.ts'

export function AddressPart({
  webhook,
  carried,
}: Pick<ConnectionProps, 'preset' | 'webhook' | 'carried'>) {
  return (
    <section>
      <h2>Address</h2>
      {carried.address === '' ? (
        <p>
          <code>{webhook.hint}</code> The address was shown when it was made, and is stored nowhere.
          A lost one is replaced: <a href={webhookPath(webhook.id)}>rotate it</a>.
        </p>
      ) : (
        <>
          <p>
            Copy it now: it is not shown again. Whoever knows it can try to deliver: treat it as a
            password.
          </p>
          <CopyField label="Address" value={carried.address} />
        </>
      )}
    </section>
  )
}

type SecretProps = ConnectionProps & { at: string }

export function SecretPart(props: SecretProps) {
  const { webhook, preset, carried } = props
  if (!needsSecret(webhook.rules.verification)) return null
  const label = preset.secret?.label ?? 'Secret'
  return (
    <section>
      <h2>{label}</h2>
      {carried.secret !== '' && (
        <>
          <p>It is saved here already. Copy it into the other system: it is not shown again.</p>
          <CopyField label={label} value={carried.secret} />
        </>
      )}
      {webhook.needs_secret ? (
        <SecretForm {...props} label={label} />
      ) : (
        <>
          {carried.secret === '' && <SetAt webhook={webhook} />}
          <details open={props.error !== null}>
            <summary>Enter another one</summary>
            <SecretForm {...props} label={label} />
          </details>
        </>
      )}
    </section>
  )
}

function SetAt({ webhook }: Pick<ConnectionProps, 'webhook'>) {
  return (
    <p>
      It is saved, since <Time at={webhook.secrets[0]?.set_at ?? null} />.
    </p>
  )
}

function SecretForm({
  preset,
  webhook,
  carried,
  error,
  at,
  label,
}: SecretProps & { label: string }) {
  return (
    <form method="post" action={`${at}secret/`}>
      {error?.details.fields && <FormError error={error} />}
      <CarriedFields carried={carried} />
      <VersionField version={webhook.version} />
      <Input
        label={label}
        name="secret"
        type="password"
        value=""
        error={error}
        required
        help={preset.secret?.chosen_here ? SAME : (preset.secret?.where ?? SAME)}
      />
      <button type="submit">Save</button>
    </form>
  )
}

const SAME = 'The same as in the other system.'
