import { findKeys } from '../engine/identity/key.ts'
import { KeepDocuments } from '../engine/redaction/policy.ts'
import { HAS_KEY } from './display-text.ts'

/** `keep_documents` as a body gives it. */
export const GivenPolicy = KeepDocuments.refine(
  ({ redact }) => redact.every((path) => findKeys(path).length === 0),
  { path: ['redact'], error: HAS_KEY },
)
