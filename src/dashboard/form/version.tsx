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

/** The versions that the change may be of. `*` is any, as in If-Match; no page sends it. Other texts are none. */
export function versionsSent(form: Form): Versions {
  const text = form.text(VERSION)
  if (text === '*') return undefined
  return /^\d{1,15}$/.test(text) ? [Number(text)] : []
}
