const REPLAYS = ['Orders', 'Products', 'Locations', 'Inventory'].map(
  (resource) => `Replay${resource}Mapping`,
)

/** As DESCRIPTIONS, of check-ups, documents, key attempts and what is sent again. */
export const SETTINGS_DESCRIPTIONS: Record<string, string> = {
  'AuditRow.dry_run': 'Whether the request was a dry run, which changed nothing.',
  'LoggedRequest.dry_run': 'Whether the request was a dry run, which changed nothing.',
  replay_of: 'The id of the request that this one repeats, sent again by an administrator.',
  'RequestChange.resource': 'What the request changed.',
  unread: 'The fields of the document that no rule reads, the first 1,000.',
  'RequestChange.record_name':
    'The order number, SKU or location code of the record; null for stock.',
  'RequestChange.location_code': 'The location of the stock; null for other resources.',
  'RequestChange.sku_code': 'The SKU of the stock; null for other resources.',
  'RequestChange.field': 'The field of the record; of stock always `quantity`.',
  'RequestChange.from': 'The value before; null also if the request created the stock.',
  'RequestChange.to': 'The value after.',
  'Undo.request_id': 'The id of this request: it can be undone as well.',
  'Undo.undone': 'The id of the request that was undone.',
  'Undo.restored': 'How many pairs got their quantity back; 1 for a PUT.',
  'Undo.zeroed': 'How many pairs were set to 0, because the request had created them.',
  'Undo.changed_since':
    'The pairs that were left as they are, because somebody has changed them since. At most 1,000 are listed.',
  'Undo.changed_since_total': 'How many such pairs there are.',
  'ChangedSince.from': 'The quantity before the request; null if it created the pair.',
  'ChangedSince.to': 'The quantity that the request left.',
  'ChangedSince.quantity': 'The quantity of now.',
  'SentAgain.request_id': 'The id of the new request, for the audit log.',
  'SentAgain.status': 'What the new request was answered.',
  'SentAgain.answer': 'The answer of the new request.',
  'SendOutcome.request_id': 'The id of the new request; null if it was not sent.',
  'SendOutcome.status': 'What the new request was answered; null if it was not sent.',
  'SendOutcome.error': 'Why it was not sent; null if it was.',
  'SendOutcome.message': 'The reason.',
  'SendAgain.force': 'Sends it also if that undoes a later change.',
  'SendAllAgain.request_ids': 'Ids of requests that failed.',
  'ReplayResult.documents': 'The number of documents: the sum of the four that follow.',
  'ReplayResult.same': 'The number of documents with the same result under both mappings.',
  'ReplayResult.changed':
    'The number that become another record, or are refused for another reason.',
  'ReplayResult.newly_failing': 'The number that only the draft refuses.',
  'ReplayResult.newly_passing': 'The number that only the saved mapping refuses.',
  'ReplayResult.unreadable':
    'The number that are not stored, not JSON, or depend on a redacted place. Not part of `documents`.',
  'ReplayResult.truncated': 'Whether there was no time for all documents.',
  'ReplayResult.examples': 'At most 20, and 5 of a kind, the newest first.',
  'ReplayResult.kind': 'What the draft changes.',
  'ReplayResult.differences': 'Where the two records differ, at most 5 places.',
  'ReplayResult.faults': 'Why the document is refused, with each mapping; at most 5 reasons.',
  'ReplayResult.request_id': 'The request that brought the document.',
  'ReplayResult.before': 'With the saved mapping.',
  'ReplayResult.after': 'With the draft.',
  'Difference.at': 'A place of our record.',
  'Difference.before': 'The value with the saved mapping, as JSON; null if there is none.',
  'Difference.after': 'The value with the draft, as JSON; null if there is none.',
  ...Object.fromEntries(
    REPLAYS.flatMap((name) => [
      [`${name}.from`, 'Only documents that came at this moment or later.'],
      [`${name}.to`, 'Only documents that came before this moment.'],
    ]),
  ),
  last: 'How many documents at most, the newest first.',
  'Finding.kind': 'What was found.',
  'Finding.since': 'Since when it is so, in UTC, as far as the log goes.',
  'Finding.count':
    'The number of requests; for a drift, the number of documents that were compared since; 1 for a key or a release that ends; 0 for a silence.',
  'Finding.requests': 'The ids of the newest requests, at most 5, for the audit log.',
  'Finding.message': 'What was found, in a sentence.',
  'Finding.remedy': 'What to do.',
  document:
    'Whether the document of the request is kept, if it was to be; else null. Read it by `GET /audit-log/{id}/document/`.',
  'DocumentState.state': 'Whether it is kept, as far as the audit log knows.',
  'DocumentState.until': 'Until when it is kept, unless `keep_documents` says less by then.',
  'DocumentState.reason':
    'Why it is not kept: `too_large` (over 1 MB), `not_json` (so that places could not be redacted), `unavailable` (it could not be stored), `busy` (too many others were being stored), `deleted`.',
  'KeptDocument.content_type': 'The `Content-Type` of the request; null without one.',
  'KeptDocument.body': 'The body as it came, except redacted places and API keys.',
  'KeptDocument.encoding': '`base64` if the body is not UTF-8.',
  'KeptDocument.answer':
    'The status and the body of the answer. The body is null if it has more than 1 MB.',
  redacted: 'The paths of `keep_documents.redact` that led to something in the body.',
  kept_until: 'Until when the document can be read.',
  deleted: 'How many documents were deleted.',
  remaining: 'True if there may be more: repeat the request.',

  'KeyAttempt.hint':
    "The beginning and end of what was sent, as far as a key's hint shows them; `other` for all keys beyond the first 100.",
  'KeyAttempt.reason': 'Why the key was refused.',
  'KeyAttempt.count': 'How many attempts there were, from `first_at` to `last_at`.',
  first_at: 'When the first attempt came in, in UTC.',
  last_at: 'When the last attempt came in, in UTC.',
}
