import { findKeys } from '../engine/identity/key.ts'
import { Label } from '../engine/json/fields.ts'

export const HAS_KEY = 'Must not contain an API key. Others may have read it: replace that key.'

/** A name or note of a settings record. Lists, logs and pages show it: no key may be in it. */
export const DisplayText = Label.refine((text) => findKeys(text).length === 0, {
  error: HAS_KEY,
})
