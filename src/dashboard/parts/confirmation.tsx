import type { PropsWithChildren } from 'hono/jsx'
import type { ApiError } from '../../engine/errors.ts'
import { CONFIRMED } from '../form/shape.ts'
import { VersionField } from '../form/version.tsx'
import { FormButtons } from './form-buttons.tsx'
import { FormError } from './form-error.tsx'

interface ConfirmationProps {
  question: string
  action: string
  back: string
  /** Of the button that leads back. */
  backText?: string
  look?: 'danger' | undefined
  /** Of the settings record that is changed. */
  version?: number
  error: ApiError | null
}

/** A page that asks for confirmation. */
export function Confirmation(props: PropsWithChildren<ConfirmationProps>) {
  return (
    <article class="confirmation">
      <h1>{props.question}</h1>
      <FormError error={props.error} />
      <form method="post">
        <Confirmed />
        {props.version !== undefined && <VersionField version={props.version} />}
        {props.children}
        <FormButtons
          action={props.action}
          back={props.back}
          backText={props.backText}
          look={props.look}
        />
      </form>
    </article>
  )
}

/** Tells the form of this page from an empty one. */
export function Confirmed() {
  return <input type="hidden" name={CONFIRMED} value="true" />
}
