import type { Versions } from '../../settings/versions.ts'
import type { Form } from './form.ts'
import { CONFIRMED, type Shape } from './shape.ts'

/** The hidden field that says of which version of a settings record a form was shown. */
export const VERSION = 'version'

/** The form that asks whether to change a settings record. */
export const SETTING_CONFIRMATION: Shape = { fields: [CONFIRMED, VERSION] }

export function VersionField({ version }: { version: string | number }) {
  return <input type="hidden" name={VERSION} value={String(version)} />
}

/** The version that the change may be of; none if the field has another text. */
export function versionsSent(form: Form): Versions {
  const text = form.text(VERSION)
  return /^\d{1,15}$/.test(text) ? [Number(text)] : []
}
