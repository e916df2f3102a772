import * as z from 'zod'
import { invalid } from '../errors.ts'
import { boundedText, fitsAsJson, Integer } from '../json/fields.ts'
import { Filter } from '../json/filter/filter.ts'
import { PATH_LENGTH_MAX, PathError, parsePath } from '../json/path.ts'
import { pointerFault } from '../json/pointer.ts'

export const KEPT_DAYS_MAX = 90
const REDACTED_PATHS_MAX = 100
// A page has 200 partners, and an isolate remembers the policies of many keys.
const REDACTED_BYTES_MAX = 8192

/** Which documents of a partner, or of keys without one, are kept. Null in its place: none. */
export interface KeepDocuments {
  /** Those of refused requests and of uploads with failed rows, or those of all requests. */
  of: 'errors' | 'all'
  /** 1 to 90. */
  days: number
  /** Places in the partner's own document, which `parsePath` reads as a source without filters. */
  redact: string[]
}

/** A filter is refused: a place that is redacted must not depend on what a document says. */
const RedactedPath = boundedText(PATH_LENGTH_MAX).superRefine((path, context) => {
  const fault = faultOf(path)
  if (fault) context.addIssue({ code: 'custom', message: `The path "${path}" ${fault}` })
})

export const KeepDocuments = z.object({
  of: z.enum(['errors', 'all']),
  days: Integer.min(1).max(KEPT_DAYS_MAX),
  redact: z
    .array(RedactedPath)
    .max(REDACTED_PATHS_MAX)
    .refine((paths) => fitsAsJson(paths, REDACTED_BYTES_MAX), {
      error: `Must be at most ${REDACTED_BYTES_MAX} bytes as JSON.`,
    })
    .default([]),
}) satisfies z.ZodType<KeepDocuments>

/** As an answer shows it. */
export const ShownPolicy = z.object({
  of: KeepDocuments.shape.of,
  days: z.int().min(1),
  redact: z.array(z.string()),
})

const NO_BUCKET =
  'Documents cannot be kept: this deployment has no binding DOCUMENTS. The operator adds it (docs/operations.md).'

/** The input. 400 VALIDATION_ERROR if documents are to be kept and there is no bucket for them. */
export function keepable<Input extends { keep_documents?: KeepDocuments | null | undefined }>(
  { DOCUMENTS }: { DOCUMENTS?: R2Bucket },
  input: Input,
): Input {
  if (input.keep_documents && !DOCUMENTS) throw invalid({ keep_documents: [NO_BUCKET] })
  return input
}

function faultOf(path: string): string | null {
  const pointer = pointerFault(path)
  if (pointer) return pointer
  try {
    const steps = parsePath(path, { isSource: true })
    const hasFilter = steps.some((step) => step instanceof Filter)
    return hasFilter ? 'has a filter: write [] to redact every element.' : null
  } catch (error) {
    if (!(error instanceof PathError)) throw error
    return `${error.message}.`
  }
}
