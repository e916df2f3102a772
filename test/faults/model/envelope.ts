import { D1_OTHER } from '../../fixtures/fault.ts'
import type { Exchange } from './exchange.ts'
import { isObject } from './fields.ts'

/** What SQLite and D1 would say. */
const FOREIGN = /SQLITE|D1_|constraint|\bselect |\binsert into\b|no such|Network connection/i

const DONE = /was applied|may or may not/

// Of D1: an error that is none of those that its documentation names.
const UNFORESEEN = D1_OTHER.at(-1)

/** What is wrong with an answer whatever it says. */
export function envelopeFault(exchange: Exchange): string | null {
  const { status, headers, text, body, request_id, hits, sent } = exchange
  if (!request_id) return 'It has no X-Request-Id.'
  if (status === 304) return text === '' ? null : 'It has a body.'
  if (!body) return 'It is no JSON object.'
  const isDry = headers.get('X-Dry-Run') === 'true'
  if (isDry !== sent.isDryRun || isDry !== 'dry_run' in body)
    return 'It is marked as what it is not.'
  if (isDry && DONE.test(text)) return 'It says that it was done, or may have been.'
  const isForeseen = hits.every((fault) => !('message' in fault) || fault.message !== UNFORESEEN)
  if (status === 500 && isForeseen) return 'It is an internal error.'
  if (FOREIGN.test(text)) return 'It holds words of the database.'
  const retryAfter = headers.get('Retry-After')
  if (status === 503 && !/^[1-9]\d*$/.test(retryAfter ?? ''))
    return `Its Retry-After is ${retryAfter}.`
  const { success, error, detail } = body
  if (status < 300) return success === true && 'data' in body ? null : 'It is no success.'
  const isError = success === false && isObject(error) && detail === error.message
  if (!isError || typeof error.code !== 'string') return 'It is no error of ours.'
  return body.request_id === request_id ? null : `It says request ${body.request_id}.`
}
