import { REASONS } from '../engine/errors.ts'
import { documentPath, type Release } from '../engine/releases/release.ts'
import { RELEASES } from '../engine/releases/table.ts'

const KEYS = `## Keys

Send an API key with every request, in the header \`X-API-Key\`. A key belongs to one tenant, and its
scopes say what it may do; each operation names the scope that it needs. A scope that ends in \`.*\`
covers everything below it. \`write\` does not imply \`read\`. Send keys over HTTPS only, and never
put one into a web page.`

const SETTINGS_SCOPES = `## Scopes

Keys, partners (with their mappings), workspace and audit log each have their own scopes:
\`settings.keys.read\`, \`settings.keys.write\` and so on. \`settings.read\` covers every read of the
settings, \`settings.write\` every write, \`settings.*\` both. Documents that are kept need
\`settings.documents.read\` or \`settings.documents.write\`, which \`settings.*\` includes, but
\`settings.read\` and \`settings.write\` do not. A key can grant only scopes that it has
itself: to create or rotate a key, or to change more than its name, your own key must cover every scope
that the key has afterwards. A key that is linked to a partner grants only to keys of this partner. Only
the same wildcard or a wider one covers a wildcard; the scopes below it do not.`

/** What release 1.0 does not say. */
export const UNKNOWN_PARAMETERS = ` A list answers an unknown query parameter
with 400 \`VALIDATION_ERROR\` instead: without a filter that you meant, it would be a wrong list.`

const ENVELOPE = `## Responses

A success is \`{"success": true, "data": …}\`; a list also has \`pagination\`. \`warnings\` lists every
field, query parameter and condition that you sent and that had no effect.${UNKNOWN_PARAMETERS}

Every error has one shape: \`{"success": false, "error": {"code", "reason"?, "message", "fields"?,
"source"?, "problems"?}, "detail", "request_id"}\`. Use \`code\` and \`reason\` in programs; \`message\` and \`detail\` are for
people. \`fields\` maps each wrong field to its messages.

We may add fields to responses without notice: ignore fields that you do not know.`

const REASON_LISTS = Object.entries(REASONS).map(([code, reasons]) => {
  const lines = Object.entries(reasons).map(([reason, means]) => `- \`${reason}\`: ${means}`)
  return `**\`${code}\`**\n\n${lines.join('\n')}`
})

const ERROR_REASONS = `## Reasons of errors

Errors with one code may have unlike causes. Then \`reason\` says which it is. We may add reasons without notice: treat
one that you do not know as if there were none.

${REASON_LISTS.join('\n\n')}`

const PATHS = `## Paths

Every path ends in a slash. A path without it returns 308 with the right address in \`Location\`: send
the same method and body there. An unknown path returns 404 \`NOT_FOUND\`. A method that the path does
not accept returns 405 \`METHOD_NOT_ALLOWED\`; \`Allow\` lists those that it accepts. HEAD works like
GET, without a body.`

export const LISTS = `## Lists

Lists return the newest records first, \`limit\` at a time. Send \`pagination.next_cursor\` as \`cursor\`
to get the next page, until it is null. Records that are created meanwhile do not make pages skip or
repeat any. A cursor works only for the list and the tenant that it comes from. Send the same filters with
it.`

export const EXPORTS = `## Exports

The lists of orders, products, locations and inventory also come whole. Send \`Accept: text/csv\` for CSV, or
\`Accept: application/x-ndjson\` for one JSON record in each line. The response is read from the database
while it is sent, and may take long. If that fails on the way, the connection breaks off, so a response that
ends properly is the whole list. A key has at most 4 exports in progress.`

const RETRIES = `## Retries

Retry a timeout, 408, 429 or 5xx with the *same* body. Use exponential backoff with jitter, wait at least
\`Retry-After\` seconds if the response has that header, and limit the total time. Expect 502, 503 and 504
from proxies between us, whose bodies may differ from ours. Any other 4xx means that the request itself is
wrong: do not retry it unchanged.`

const NATURAL_KEYS = `There is no idempotency key, because names are unique. An \`order_number\` that
exists returns 400 \`VALIDATION_ERROR\` with the reason \`DUPLICATE_ORDER_NUMBER\`, a \`sku\` or \`code\` that exists 409 \`DUPLICATE\`: on a retry
this means that the first attempt succeeded. You can repeat PUT, DELETE and uploads of quantities.`

const KEYS_TWICE = `Creating and rotating API keys and webhooks are the only calls that are not idempotent. If
their response is lost, or a 503 does not say that nothing was changed, list the keys or webhooks before you
send the request again, and revoke one whose value nobody has seen.`

export const CONDITIONS = `## Conditions

One order, product or location has an \`ETag\`, such as \`"7.e54d0960.1f0c9ad2be43"\`, in the answers to GET, POST
and PUT. Send it as \`If-Match\` with PUT or DELETE: if anyone has changed the record since, the answer is
412 \`PRECONDITION_FAILED\` and nothing is changed. Send it as \`If-None-Match\` with GET: if the record
and its form are the same, the answer is 304 without a body. A PUT that leaves the record as it was keeps its
\`ETag\`. If the answer to a PUT with \`If-Match\` is lost, read the record: your own change may be why a
repetition gets 412. \`warnings\` names a condition that has no effect. Lists and stock have no \`ETag\`.`

const SETTINGS_CONDITIONS = `## Conditions

One key, partner or mapping, and the workspace, has an \`ETag\` in the answers to GET, POST and PUT. Send it as \`If-Match\`
with PUT or DELETE, or when you rotate a key: if anyone has changed the record since, the answer is 412
\`PRECONDITION_FAILED\` and nothing is changed. Send it as \`If-None-Match\` with GET: if the record is the same, the answer
is 304 without a body. A PUT that leaves the record as it was keeps its \`ETag\`. A mapping that is deleted and made again
never has an \`ETag\` that it had before.`

const NEAR_READS = `## Near reads

A key whose settings have \`"reads": "near"\` reads the nearest copy of the database. Its GETs are faster from far away and
may miss what was written in the last 5 seconds. If the warehouse has such a key, the answer to each write has
\`X-Read-After\`: a GET that sends this header sees that write.`

export const DRY_RUNS = `## Dry runs

\`?dry_run=true\` on a POST, PUT or DELETE returns what the request would return at this moment, and changes
nothing. Its body begins with \`success\` and \`"dry_run": true\`, and it has \`X-Dry-Run: true\`, also if it is a
refusal; it has no \`ETag\`. Ids and times of new records belong to no record. \`dry_run=false\` makes the change, as
without the parameter. Any other value, or a similar name such as \`dryrun\`, returns 400. A dry run
needs the same scopes, and counts for the rate limit.`

const LIMITS = `## Limits

A body has at most 10,485,760 bytes, 64 levels and a million values, and no object may have a name twice.
A key has at most 50 requests in progress, and 10 MiB of documents over 1 MiB are processed at a time.
Further requests wait up to 30 seconds, and then get 503. For bulk loads use 4 to 8 workers, and upload
quantities together instead of one row per request.

A key has no rate limit unless its settings have one. With a limit, \`X-RateLimit-Remaining\` says how
many requests it has left in the current minute; a request beyond the limit returns 429 \`RATE_LIMITED\`
with \`Retry-After\`. An address that has sent a hundred unknown keys also gets 429 for a minute, for every
key that we do not remember.`

function chapterOf(release: Release): string[] {
  const { name, notes, lifecycle } = release
  if (!lifecycle) return []
  const end = new Date(lifecycle.sunset_at).toLocaleDateString('en-GB', {
    dateStyle: 'long',
    timeZone: 'UTC',
  })
  return [
    `**Release ${name}** ends on ${end} (UTC). It has [a document of its own](${documentPath(release)}). It differs from this description as follows:\n\n${notes}`,
  ]
}

const RELEASE_NOTES = `## Releases

The version in the path is \`v1\`. Within it, a key uses the current release unless its settings pin it to
an older one. Every response to a pinned key says since when its release is deprecated (\`Deprecation\`,
RFC 9745) and when it ends (\`Sunset\`, RFC 8594), twelve months later. After the end every request
returns 410 \`RELEASE_GONE\` until the key's release is set to \`current\`.

${RELEASES.flatMap(chapterOf).join('\n\n')}`

const PARTNERS = `## Partners

A key may be linked to a partner. If that partner has a mapping, it is applied to the bodies of POST and
PUT: send your own documents instead of the schemas below. A document that does not fit returns 422
\`MAPPING_ERROR\`. Errors lead with the path in your document; \`fields\` has ours, and \`source\` yours for each. With
an outbound mapping the records in \`data\` (of the feed each \`record\`, of NDJSON each line) have the partner's
fields instead of those in the schemas below. Each JSON response that such a mapping changes says so; all else
keeps our fields. \`{identifier}\` is the value of the field that the partner's settings name.`

export const INTEGRATIONS = [
  'Push and read orders, products, locations and stock, as JSON over HTTPS.',
  KEYS,
  ENVELOPE,
  ERROR_REASONS,
  PATHS,
  LISTS,
  EXPORTS,
  RETRIES,
  NATURAL_KEYS,
  CONDITIONS,
  NEAR_READS,
  DRY_RUNS,
  LIMITS,
  RELEASE_NOTES,
  PARTNERS,
].join('\n\n')

export const SETTINGS = [
  'Issue keys, link partners, write mappings, read the audit log, switch the integration off. Every change takes effect with the next request. The audit log holds these requests too. They work while the integration is switched off.',
  KEYS,
  SETTINGS_SCOPES,
  ENVELOPE,
  ERROR_REASONS,
  PATHS,
  LISTS,
  RETRIES,
  KEYS_TWICE,
  SETTINGS_CONDITIONS,
  DRY_RUNS,
].join('\n\n')
