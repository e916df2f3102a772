import type { Release } from '../releases/release.ts'
import { RELEASES } from '../releases/table.ts'

const KEYS = `## Keys

Every request carries an API key in the header \`X-API-Key\`. A key opens one tenant, and of it what
its scopes say; each operation names the scope that it needs. A scope that ends in \`.*\` covers
everything below it. \`write\` does not imply \`read\`. Send keys over HTTPS only; they do not belong
in a web page of yours.`

const ENVELOPE = `## Answers

A success is \`{"success": true, "data": …}\`, a list has \`pagination\` beside it. A field or query
parameter that had no effect is named in \`warnings\`: nothing is dropped in silence.

Every error has one shape: \`{"success": false, "error": {"code", "message", "fields"?, "source"?,
"problems"?}, "detail", "request_id"}\`. Decide by \`code\`; \`message\` and \`detail\` are for people.
\`fields\` maps each wrong field to what is wrong with it.

Fields may be added to answers without notice, so pass over what you do not know.`

const PATHS = `## Paths

Every path ends in a slash. Without it the answer is 308 with the right address in \`Location\`;
follow it with the same method and body. A path that does not exist is 404 \`NOT_FOUND\`, another
method on a path that does is 405 \`METHOD_NOT_ALLOWED\`, with the methods that it answers in
\`Allow\`. HEAD is answered as GET, without a body.`

const LISTS = `## Lists

Newest first, \`limit\` records at a time. Pass \`pagination.next_cursor\` back as \`cursor\` until it is
null. Inserts in the meantime neither skip nor repeat a record. A cursor belongs to its list,
of one tenant.`

const RETRIES = `## Retries

Retry a timeout, 429 or 5xx with the *same* body, with exponential backoff and jitter, after at least
\`Retry-After\` seconds where the answer has it, and not for ever. Be ready for 502, 503 and 504 from
anything between us: such an answer may have another body than ours. Another 4xx means that the
request itself is wrong.`

const NATURAL_KEYS = `There is no idempotency key, and no need of one. An \`order_number\` that exists is
400 \`VALIDATION_ERROR\`, a \`sku\` or \`code\` 409 \`DUPLICATE\`: on a retry that says that the first
attempt has landed. PUT, DELETE and uploads of quantities may be repeated at will.`

const KEYS_TWICE = `Two requests make something new each time that they are sent: creating and rotating an
API key. Where their answer was lost, or a 503 says that it was carried out or that nobody knows, list
the keys before you send them again, and revoke one whose value nobody has seen.`

const LIMITS = `## Limits

A body has at most 10,485,760 bytes, 64 levels and a million values. More than 50 requests of a key
at a time wait their turn, 30 seconds at most, and so do bodies of more than 64 KiB: of those, 10 MiB
are worked on at a time. No object may have a name twice. Use 4 to 8 workers for bulk loads, and the
upload of quantities rather than one request a row.

A key has no rate limit unless its settings give it one. Then \`X-RateLimit-Remaining\` says how many
requests it has left in the current minute, and one too many is 429 \`RATE_LIMITED\` with
\`Retry-After\`.`

function chapterOf({ name, notes, lifecycle }: Release): string[] {
  if (!lifecycle) return []
  const end = new Date(lifecycle.sunset_at).toLocaleDateString('en-GB', {
    dateStyle: 'long',
    timeZone: 'UTC',
  })
  return [
    `**Release ${name}** ends on ${end} (UTC). It is what is described here, but for this:\n\n${notes}`,
  ]
}

const RELEASE_NOTES = `## Releases

The version in the path is \`v1\`; within it, a key is answered in the current release unless its
settings pin it to an older one. To a pinned key every answer says since when its release is
deprecated (\`Deprecation\`, RFC 9745) and when it ends (\`Sunset\`, RFC 8594): twelve months later.
From then on the answer is 410 \`RELEASE_GONE\`, until the key's release is set to \`current\`.

${RELEASES.flatMap(chapterOf).join('\n\n')}`

const PARTNERS = `## Partners

A key may be linked to a partner. Then the partner's mapping, where it has one, is applied to the
bodies of POST and PUT: send your own documents, not the schemas below. What does not fit is 422
\`MAPPING_ERROR\`. Errors and warnings name your own path in \`source\` beside our field. With an
outbound mapping the records in \`data\` have the partner's shape, too. \`{identifier}\` means the
field that the partner's settings name.`

export const INTEGRATIONS = [
  'Push and read orders, products, locations and stock, as JSON over HTTPS.',
  KEYS,
  ENVELOPE,
  PATHS,
  LISTS,
  RETRIES,
  NATURAL_KEYS,
  LIMITS,
  RELEASE_NOTES,
  PARTNERS,
].join('\n\n')

export const SETTINGS = [
  'Issue keys, link partners, write mappings, read the audit log, switch the integration off. A change holds from the very next request on. These requests are in the audit log too, and work while the integration is switched off.',
  KEYS,
  ENVELOPE,
  PATHS,
  LISTS,
  RETRIES,
  KEYS_TWICE,
].join('\n\n')
