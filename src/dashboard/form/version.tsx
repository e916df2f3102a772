import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Versions } from '../../settings/versions.ts'
import { pathWith } from '../paths.ts'
import type { Form } from './form.ts'
import { CONFIRMED, type Shape } from './shape.ts'

/** The hidden field that says of which version of a settings record a form was shown. */
export const VERSION = 'version'

/** The form that asks whether to change a settings record. */
export const SETTING_CONFIRMATION: Shape = { fields: [CONFIRMED, VERSION] }

export function VersionField({ version }: { version: string | number }) {
  return <input type="hidden" name={VERSION} value={String(version)} />
}

/** The version that the text names; none if it is another text. */
export function versionsFrom(text: string): number[] {
  return /^\d{1,15}$/.test(text) ? [Number(text)] : []
}

/** The version that the change may be of. */
export function versionsSent(form: Form): Versions {
  return versionsFrom(form.text(VERSION))
}

/** The path of a question about a record that the page shows at this version. */
export function askedOf(path: string, version: number): string {
  return pathWith(path, { [VERSION]: String(version) })
}

/** The version that the page showed from which the question was opened; undefined without one. */
export function versionsShown(c: Context<AppEnv>): Versions {
  const text = c.req.query(VERSION)
  return text === undefined ? undefined : versionsFrom(text)
}
