import type { PropsWithChildren } from 'hono/jsx'
import type { ApiError } from '../../engine/errors.ts'
import { KEY_ALGORITHMS } from '../../engine/webhooks/public-key.ts'
import { HMAC_ALGORITHMS } from '../../engine/webhooks/verification.ts'
import { Input } from '../parts/input.tsx'
import { same } from '../parts/option.ts'
import { Select } from '../parts/select.tsx'
import { TextArea } from '../parts/text-area.tsx'
import type { VerificationFields } from './verification-fields.ts'

const KINDS = [
  ['hmac', 'HMAC: a signature made with a secret that both sides know'],
  ['public_key', 'Public key: a signature made with a private key of the sender'],
  ['basic', 'Basic: a user name and a password'],
  ['token', 'Token: a fixed text in a header'],
  ['address', 'The address alone: whoever knows it may deliver'],
] as const

interface VerificationInputsProps {
  fields: VerificationFields
  error: ApiError | null
}

/** Of which kinds of checks the fields are. The style sheet shows those of the chosen kind. */
function Of({ kinds, children }: PropsWithChildren<{ kinds: string }>) {
  return (
    <div class="member" data-kinds={kinds}>
      {children}
    </div>
  )
}

/** How a webhook checks who sends. */
export function VerificationInputs({ fields, error }: VerificationInputsProps) {
  const text = (name: keyof VerificationFields) => ({ name, value: fields[name], error })
  return (
    <fieldset class="check">
      <legend>Who sends</legend>
      <Select
        label="Proof"
        {...text('kind')}
        options={KINDS}
        help="What proves that a delivery comes from the partner's system. Of the address alone, everybody who ever sees it can deliver."
      />
      <Of kinds="hmac public_key token">
        <Input
          label="Header"
          {...text('header')}
          help="That of the signature, or of the token: X-WC-Webhook-Signature, Authorization."
        />
      </Of>
      <Of kinds="basic">
        <Input label="User name" {...text('username')} help="The secret is the password." />
      </Of>
      <Of kinds="hmac">
        <Select label="Algorithm" {...text('algorithm')} options={HMAC_ALGORITHMS.map(same)} />
      </Of>
      <KeyInputs text={text} />
      <SignedInputs text={text} />
      <RareInputs text={text} isOpen={isRare(fields) || error !== null} />
    </fieldset>
  )
}

interface PartProps {
  text: (name: keyof VerificationFields) => { name: string; value: string; error: ApiError | null }
}

function KeyInputs({ text }: PartProps) {
  return (
    <Of kinds="public_key">
      <Select label="Key algorithm" {...text('key_algorithm')} options={KEY_ALGORITHMS.map(same)} />
      <Select
        label="Form of the signature"
        {...text('format')}
        options={[
          ['raw', 'The signature alone'],
          ['jws', 'JWS, with a detached payload'],
        ]}
      />
      <TextArea
        label="Public keys"
        {...text('keys')}
        rows={6}
        help="Up to two, as PEM (from -----BEGIN PUBLIC KEY-----) or as JWK objects. Both are tried, so that the sender can change its key."
      />
    </Of>
  )
}

/** What a signature is made of. */
function SignedInputs({ text }: PartProps) {
  return (
    <>
      <Of kinds="hmac public_key">
        <Select
          label="Encoding"
          {...text('encoding')}
          options={[same('base64'), same('hex')]}
          help="How the signature is written."
        />
        <TextArea
          label="What is signed"
          {...text('signed')}
          rows={1}
          help="{body}, or a text with {body}, {body_base64}, {timestamp}, {id}, {url}, such as {timestamp}.{body}."
        />
      </Of>
      <Of kinds="hmac public_key token">
        <Input
          label="Prefix"
          {...text('prefix')}
          help="What stands before the signature or the token, such as “sha256=”, or “Bearer ” with its space. Leave empty for none."
        />
      </Of>
    </>
  )
}

/** What only few senders have. */
function RareInputs({ text, isOpen }: PartProps & { isOpen: boolean }) {
  return (
    <details class="member" data-kinds="hmac public_key" open={isOpen}>
      <summary>Several signatures, a signed time, id or URL, an encoded secret</summary>
      <Input
        label="Separator"
        {...text('separator')}
        help="Between the parts of a header with several signatures: a comma, or a space. Leave empty for one signature."
      />
      <Input
        label="Time"
        {...text('timestamp')}
        help="Where the time of the delivery stands, if the sender signs one: header X-Time, member t of the signature header, or path sent_at in the body."
      />
      <Input
        label="Tolerance in seconds"
        {...text('tolerance_s')}
        help="How old the time may be. Without a time it has no effect."
      />
      <Input
        label="Header of the id"
        {...text('id')}
        help="Only if {id} is signed: webhook-id, svix-id."
      />
      <Input
        label="Origin"
        {...text('origin')}
        help="Only if {url} is signed: what the sender calls, such as https://api.example.com."
      />
      <Of kinds="hmac">
        <Select
          label="The secret is"
          {...text('secret_encoding')}
          options={[
            ['utf8', 'a text, used as it is'],
            ['base64', 'base64 of the key'],
          ]}
        />
        <Input
          label="Prefix of the secret"
          {...text('secret_prefix')}
          help="Only of base64: what is no part of the key, such as whsec_."
        />
      </Of>
    </details>
  )
}

const RARE = ['separator', 'timestamp', 'id', 'origin', 'secret_prefix'] as const

function isRare(fields: VerificationFields): boolean {
  return fields.secret_encoding === 'base64' || RARE.some((name) => fields[name] !== '')
}
