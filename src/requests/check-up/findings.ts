import { DAY_MS, HOUR_MS } from '../../engine/json/date-time.ts'
import { RELEASES } from '../../engine/releases/table.ts'
import { type DocumentEvidence, driftFindings, repeatedDocuments } from './document-findings.ts'
import {
  DIFFERING_MAX,
  type DifferingOrder,
  type EndedKeyUse,
  type Evidence,
  type FailedRequest,
  type ListCalls,
  type PartnerKey,
} from './evidence.ts'
import { type Finding, type LinkedName, quotedNames, seen } from './finding.ts'
import { isNamed, SAME_DOCUMENT_MIN } from './repeated.ts'
import { refusedMappings } from './saved-mappings.ts'

const UNITS: [number, string][] = [
  [2 * DAY_MS, 'day'],
  [HOUR_MS, 'hour'],
  [60_000, 'minute'],
]

/** One refusal may be an accident of the partner. Five of a field are its documents or the mapping. */
const FIELD_REFUSED_MIN = 5
/** A person trying things out reads a first page a few times. A job does it each time it runs. */
const FIRST_PAGES_MIN = 5
const KEY_EXPIRING_MS = 14 * DAY_MS
/** A partner needs a release cycle of its own to move to another release. */
const RELEASE_ENDING_MS = 90 * DAY_MS
/** Fewer requests have no rhythm. */
const CALLS_MIN = 20
const SILENCE_GAPS = 5
const SILENCE_MS_MIN = HOUR_MS
const FINDINGS_MAX = 10

/** What the evidence says, at most ten findings of a kind, in the order of FINDING_KINDS. */
export function findingsIn(
  evidence: Evidence,
  { repeated, drifting }: DocumentEvidence,
  now: number,
): Finding[] {
  return [
    refusedMappings(evidence.mappings),
    refusedFields(evidence.failures),
    [...sameRecords(evidence.failures), ...repeatedDocuments(repeated)].sort(byCount),
    driftFindings(drifting, evidence.documentsOf),
    linesDiffer(evidence.differing),
    evidence.lists.filter(({ firsts }) => firsts >= FIRST_PAGES_MIN).map(firstPagesOnly),
    evidence.endedKeys.map(endedKeyUsed),
    silence(evidence, now),
    evidence.keys.flatMap((key) => expiring(key, now)).sort(bySince),
    evidence.keys.flatMap((key) => releaseEnding(key, now)),
  ].flatMap((found) => found.slice(0, FINDINGS_MAX))
}

/** Fields with exactly the same refusals are one finding: mostly names of one place, ours and the partner's. */
function refusedFields(failures: FailedRequest[]): Finding[] {
  const named = failures.flatMap((failure) =>
    fieldsOf(failure).map((field) => ({ field, failure })),
  )
  const often = Array.from(
    Map.groupBy(named, ({ field }) => field),
    ([field, group]) => ({
      field,
      group: group.map(({ failure }) => failure),
    }),
  ).filter(({ group }) => group.length >= FIELD_REFUSED_MIN)
  const same = Map.groupBy(often, ({ group }) => group.map(({ request_id }) => request_id).join())
  return Array.from(same.values(), (entries) => ({
    fields: entries.map(({ field }) => field),
    group: entries[0]?.group ?? [],
  }))
    .sort((one, other) => other.group.length - one.group.length)
    .map(({ fields, group }) => ({
      kind: 'field_refused',
      ...seen(group),
      message: `${quotedNames(fields)} was refused in ${group.length} requests. The newest error: ${group[0]?.message}`,
      remedy:
        'Correct the mapping, or ask the partner to send the field as the error says. Then send the requests again, or ask the partner to.',
    }))
}

/** The sender of a delivery that waits has heard 200: it tells of each change of the record, and repeats nothing. */
function sameRecords(failures: FailedRequest[]): Finding[] {
  const groups = Map.groupBy(
    failures.filter((one) => isNamed(one) && !one.is_taken),
    ({ record_name, error_code, error_fields }) =>
      [record_name, error_code, error_fields].join('\n'),
  )
  return [...groups.values()]
    .filter((group) => group.length >= SAME_DOCUMENT_MIN)
    .map((group) => ({
      kind: 'same_document',
      ...seen(group),
      about: { kind: 'unknown', name: group[0]?.record_name ?? '' },
      message: `"${group[0]?.record_name}" was sent ${group.length} times and refused for the same fields. The newest error: ${group[0]?.message}`,
      remedy:
        'The partner repeats the request, and the same fields are wrong each time. Correct the mapping, or tell the partner what is wrong with the record.',
    }))
}

/** The newest first. */
function linesDiffer(differing: DifferingOrder[]): Finding[] {
  const [newest] = differing
  if (newest === undefined) return []
  const { length } = differing
  const many = length === DIFFERING_MAX ? `${length} or more` : String(length)
  const [orders, them] = length === 1 ? ['An order has', 'it'] : [`${many} orders have`, 'them']
  return [
    {
      kind: 'lines_differ',
      ...seen(differing),
      message: `${orders} other lines than the partner has delivered last, and nobody has marked ${them} as seen. The newest: "${newest.order_number}".`,
      about: { kind: 'order', id: newest.order_id, name: newest.order_number },
      remedy:
        'The lines of an order cannot change. Look at each order, tell whoever picks it, and mark it as seen. The overview leads to these orders.',
    },
  ]
}

function firstPagesOnly({ path, firsts, since, requests }: ListCalls): Finding {
  return {
    kind: 'no_cursor',
    since,
    count: firsts,
    requests,
    message: `GET ${path} has several pages. In 24 hours the partner read the first one ${firsts} times, and no other: it may miss records.`,
    remedy: 'Ask the partner to go on with "pagination.next_cursor" until it is null.',
  }
}

function endedKeyUsed(use: EndedKeyUse): Finding {
  const { reason, is_rotated, is_webhook, count, first_at } = use
  const state = is_rotated ? 'was rotated' : reason === 'expired' ? 'has expired' : 'is revoked'
  return {
    kind: 'invalid_key',
    since: first_at,
    count,
    requests: [],
    message: `${named(use)} ${state}, but has been used ${times(count)} since.`,
    // A revoked one has no page to change it.
    ...(reason === 'expired' && { about: keyNamed(use) }),
    remedy: is_webhook
      ? 'Enter the address of the webhook that is in use in the system of the partner. If nobody has it any more, rotate that webhook, and enter the result.'
      : is_rotated
        ? 'Give the partner the new key. If nobody has it any more, rotate the new key, and give the partner the result.'
        : 'Ask the partner to use its current key, or create one for it.',
  }
}

/** Longer than any pause of the last two weeks as well: nights and weekends are no silence. */
function silence({ calls, hours }: Evidence, now: number): Finding[] {
  const [last, ...earlier] = calls.map((at) => Date.parse(at))
  if (last === undefined || calls.length < CALLS_MIN) return []
  const gaps = earlier.map((at, index) => (index === 0 ? last : (earlier[index - 1] ?? at)) - at)
  const usual = gaps.toSorted((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? 0
  const silent = now - last
  if (silent <= Math.max(SILENCE_GAPS * usual, SILENCE_MS_MIN, longestPause(hours))) return []
  return [
    {
      kind: 'silence',
      since: new Date(last).toISOString(),
      count: 0,
      requests: [],
      message: `The partner has sent no request for ${durationText(silent)}. Half of its requests come within ${durationText(Math.max(usual, 1000))} of the one before.`,
      remedy:
        'Ask the partner whether its system runs, and look for attempts without a valid key on the overview.',
    },
  ]
}

/** At most an hour more than it was: within an hour, only requests are known, not their times. */
function longestPause(hours: number[]): number {
  const steps = hours.slice(1).map((hour, index) => (hours[index] ?? hour) - hour)
  const longest = Math.max(0, ...steps)
  return longest > 1 ? (longest + 1) * HOUR_MS : 0
}

function expiring(key: PartnerKey, now: number): Finding[] {
  const { expires_at, is_webhook } = key
  if (expires_at === null || Date.parse(expires_at) - now > KEY_EXPIRING_MS) return []
  return [
    {
      kind: 'key_expiring',
      since: new Date(Date.parse(expires_at) - KEY_EXPIRING_MS).toISOString(),
      count: 1,
      requests: [],
      message: `${named(key)} expires at ${expires_at}.`,
      about: keyNamed(key),
      remedy: is_webhook
        ? 'Set a later expires_at, or rotate the webhook and enter its new address in the system of the partner.'
        : 'Rotate the key and give the partner the new one, or set a later expires_at.',
    },
  ]
}

function releaseEnding(key: PartnerKey, now: number): Finding[] {
  const { name, hint, release } = key
  const lifecycle = RELEASES.find((known) => known.name === release)?.lifecycle
  if (!lifecycle || Date.parse(lifecycle.sunset_at) - now > RELEASE_ENDING_MS) return []
  return [
    {
      kind: 'release_ending',
      since: new Date(Date.parse(lifecycle.sunset_at) - RELEASE_ENDING_MS).toISOString(),
      count: 1,
      requests: [],
      message: `The key "${name}" (${hint}) is pinned to release ${release}, which ends at ${lifecycle.sunset_at}. From then on its requests are refused.`,
      about: keyNamed(key),
      remedy:
        'Ask the partner to move to the current release, and change the "release" of its key then. The API reference lists the differences.',
    },
  ]
}

/** The beginning of a sentence. */
function named({ name, hint, is_webhook }: PartnerKey | EndedKeyUse): string {
  return `The ${is_webhook ? 'webhook' : 'key'} "${name}" (${hint})`
}

function keyNamed({ id, name, is_webhook }: PartnerKey | EndedKeyUse): LinkedName {
  return { kind: is_webhook ? 'webhook' : 'key', id, name }
}

function byCount(one: Finding, other: Finding): number {
  return other.count - one.count
}

function bySince(one: Finding, other: Finding): number {
  return one.since < other.since ? -1 : 1
}

function fieldsOf({ error_fields }: FailedRequest): string[] {
  return error_fields?.split('\n').filter((field) => field !== '') ?? []
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

/** Rounded down to the largest unit: `3 days`, `1 hour`, `5 minutes`. */
function durationText(ms: number): string {
  const [size, unit] = UNITS.find(([least]) => ms >= least) ?? [1000, 'second']
  const count = Math.floor(ms / size)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
