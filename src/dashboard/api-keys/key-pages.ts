import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { JsonObject } from '../../engine/json/json-object.ts'
import type { Pause } from '../../engine/model/pause.ts'
import type { KeyKind } from '../../settings/api-keys/kind.ts'
import type { Versions } from '../../settings/versions.ts'
import type { GrantedKey } from '../access.ts'
import type { Form } from '../form/form.ts'
import type { Shape } from '../form/shape.ts'
import type { Notice } from '../shell/notice.ts'

/** What the pages of both kinds of keys show of one. */
export interface ShownKey {
  id: string
  name: string
  hint: string
  version: number
  status: string
  pause: Pause | null
}

/** What the pages say and do of one kind of keys: API keys, or webhooks. Both are changed by the same queries. */
export interface KeyPages<Shown extends ShownKey> {
  kindOf: (c: Context<AppEnv>) => KeyKind<Shown>
  /** In titles, such as `API key`. */
  one: string
  /** In sentences, such as `key`. */
  noun: string
  /** What a rotation replaces. */
  value: string
  /** What a rotation makes, in a sentence of its own. */
  rotated: string
  /** Until the end of the overlap. */
  overlap: string
  /** What a revocation ends, after the hint. */
  ends: string
  /** Whether what arrives during a pause is kept. */
  keeps: boolean
  /** To whom the name says something. */
  nameHelp: string
  /** The path of the form that changes it, below that of the pages. */
  editAt: string
  /** Of that form, and of the one that only renames. */
  shape: Shape
  /** A field that only the whole form has. */
  fieldOfWhole: string
  /** `sent` is null to show the form as it is saved. */
  showForm: (
    c: Context<AppEnv>,
    record: Shown,
    sent: Form | null,
    error: ApiError | null,
  ) => Response | Promise<Response>
  inputOf: (form: Form) => object
  /** Checks the input, and saves it. */
  update: (c: Context<AppEnv>, id: string, input: object, versions: Versions) => Promise<unknown>
  /** Where a question leads back to, and a change on to. */
  pageOf: (id: string) => string
  grantedOf: (record: Shown) => GrantedKey
  /** The fields of a key as the history has it; null if that has another shape. */
  formerOf: (state: JsonObject | null) => { name: string; version: string } | null
  /** Shows the value of a new key, once. */
  showCreated: (
    c: Context<AppEnv>,
    created: Shown & { key: string },
    more?: string,
  ) => Response | Promise<Response>
  /** What a question says besides. */
  more?: (c: Context<AppEnv>, record: Shown) => Promise<Child>
  done: { saved: Notice; revoked: Notice }
}
