import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError } from '../../engine/errors.ts'
import { logOf } from '../../engine/exchange/log.ts'
import { findDocument } from '../../engine/log/documents/read.ts'
import { documentsOf, mayReadDocuments, memoryFor } from '../../middleware/document-access.ts'
import { findRequest } from '../../requests/audit-log/log.ts'
import { pretty, WHOLE_LENGTH_MAX } from '../requests/pretty.ts'
import type { Sample } from './trial.ts'

/** The kept document of a request, to try a mapping on; null if there is none to show. */
export async function sampleOfRequest(c: Context<AppEnv>, id: string): Promise<Sample | null> {
  if (!mayReadDocuments(c)) return null
  try {
    const { method } = await findRequest(logOf(c), id)
    const { body } = await findDocument(documentsOf(c), id, memoryFor(c))
    return { method, document: editable(body) }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return null
    throw error
  }
}

/** A text for a form: with a value a line, unless it is no JSON or long. */
function editable(text: string): string {
  return text.length > WHOLE_LENGTH_MAX ? text : pretty(text)
}
