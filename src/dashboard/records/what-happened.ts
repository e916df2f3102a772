import type { LoggedChange } from '../../requests/audit-log/history.ts'

/** Of methods and paths, the first that fits. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/ \/(?:api\/settings|dashboard)\/.*\/undo\/$/, 'Set back by an undo'],
  [/ \/webhooks\//, 'Delivered'],
  [/ \/dashboard\/new\//, 'Created'],
  [/ \/dashboard\/import\//, 'Imported'],
  [/ \/dashboard\/.*\/edit\/$/, 'Edited'],
  [/ \/dashboard\/.*\/cancel\/$/, 'Cancelled'],
  [/ \/dashboard\/.*\/deactivate\/$/, 'Deactivated'],
  [/ \/dashboard\/.*\/activate\/$/, 'Activated'],
  [/^POST \/api\/integrations\//, 'Created'],
  [/^PUT \/api\/integrations\//, 'Changed'],
  [/^DELETE \/api\/integrations\/v\d+\/orders\//, 'Cancelled'],
  [/^DELETE \/api\/integrations\//, 'Deactivated'],
]

/** What a request has made of its record, in a word or two; null where none is known. */
export function whatHappened({ method, path }: Pick<LoggedChange, 'method' | 'path'>) {
  const [, words] = WORDS.find(([pattern]) => pattern.test(`${method} ${path}`)) ?? []
  return words ?? null
}
