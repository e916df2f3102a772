import { D1_FULL, type Fault } from '../../fixtures/fault.ts'
import { answerTo } from './access.ts'
import { listed, withoutLater } from './audit-rows.ts'
import { contentsOf, contentsWithRoom } from './contents.ts'
import {
  type Commit,
  Contradiction,
  type Course,
  fail,
  isAnswered,
  isLost,
  isWrite,
  madeBy,
  windowOf,
} from './course.ts'
import { envelopeFault } from './envelope.ts'
import type { Exchange } from './exchange.ts'
import { isObject } from './fields.ts'
import { checkCopy, type Follower } from './follower.ts'
import { Choices } from './matching.ts'
import { type Done, isDone, type Outcome } from './operation.ts'
import { livePartner } from './partners.ts'
import { checkRow } from './rows.ts'
import type { Json, State } from './state.ts'
import type { Contents, World } from './world.ts'

// A write's audit row commits with the write: seq is the order in which the writes happened. So the
// model does them in that order, each must succeed there, and every answer must be what the model
// says at its place, or, of reads and refusals, at some place while the request was under way.

const RERUNS_MAX = 3

export function check(
  world: World,
  exchanges: Exchange[],
  contents: Contents,
  logged: Map<string, string>,
  follower: Follower,
): void {
  const { audit, log } = contents
  const rows = new Map(audit.map((row) => [row.request_id, row]))
  const choices = new Choices()
  const course: Course = {
    exchanges,
    rows,
    audit,
    log,
    commits: [],
    states: [world.state],
    choices,
    logged,
  }
  for (const exchange of exchanges) {
    const fault = envelopeFault(exchange)
    if (fault) fail(exchange, fault)
  }
  checkRequests(course)
  redo(course)
  for (const commit of course.commits) checkWriter(course, commit)
  const wasFull = exchanges.some(({ hits }) => hits.some(isFull))
  const expected = wasFull
    ? contentsWithRoom(lastOf(course), contents.tables)
    : contentsOf(lastOf(course))
  const difference = choices.difference(expected, contents.tables, { learn: true })
  if (difference) throw new Contradiction(`The database: ${difference}`)
  checkCopy(course, follower)
  for (const exchange of exchanges) checkRow(course, exchange)
  for (const exchange of exchanges) checkAnswer(course, exchange)
}

const lastOf = ({ states }: Course) => states.at(-1) as State
const isFull = (fault: Fault) => 'message' in fault && D1_FULL.includes(fault.message ?? '')

/** One audit row for each request of a known key, and none for anything else. */
function checkRequests({ exchanges, rows, audit, logged }: Course): void {
  const asked = new Set(exchanges.map(({ request_id }) => request_id))
  const stray = audit.find(({ request_id }) => !asked.has(request_id))
  if (stray) throw new Contradiction(`An audit row of no request: ${JSON.stringify(stray)}`)
  for (const exchange of exchanges) {
    const event = logged.get(exchange.request_id)
    const row = rows.get(exchange.request_id)
    if (!row && event !== 'refused' && event !== 'audit_row_not_stored')
      fail(exchange, 'It has no audit row.')
    if (row && event === 'refused')
      fail(exchange, 'It has an audit row, and its key was not known.')
  }
}

/** Does what was done, in the order in which it was. */
function redo(course: Course): void {
  const byRequest = new Map(course.exchanges.map((exchange) => [exchange.request_id, exchange]))
  let step = 0
  for (const row of course.audit) {
    const exchange = byRequest.get(row.request_id) as Exchange
    if (!isWrite(exchange) || row.status >= 300) continue
    const before = lastOf(course)
    const done = answerTo(exchange.sent, before, madeBy(row))
    if (!isDone(done)) {
      fail(exchange, `It was done, and at its place the model refuses it: ${JSON.stringify(done)}`)
    }
    if (row.settings_version !== before.workspace.settings_version) {
      const { settings_version } = before.workspace
      fail(
        exchange,
        `It was done by settings ${row.settings_version}, which were ${settings_version}.`,
      )
    }
    // Whose answer was lost may happen later than its step.
    if (isAnswered(exchange)) {
      if (exchange.step < step) fail(exchange, 'It was answered, and happened after a later step.')
      step = exchange.step
    }
    course.commits.push({ exchange, row, done })
    course.states.push(done.state)
  }
}

/** Whether its calls may have had no answer, or a lost one. */
const isTroubled = ({ hits, isSlow }: Exchange) => hits.length > 0 || isSlow

/** The answer of a write that happened: what it read back, or 503 where that was lost. */
function checkWriter(course: Course, { exchange, row, done }: Commit): void {
  const { status } = exchange
  const place = course.commits.findIndex((commit) => commit.exchange === exchange)
  if (row.status !== done.status)
    fail(exchange, `Its audit row says ${row.status}, not ${done.status}.`)
  if (isLost(exchange)) return
  if (status !== done.status) fail(exchange, `It was done, which is ${done.status}.`)
  const [, end] = windowOf(course, exchange)
  // Of an answer that was lost it was asked again.
  const states = course.states.slice(place + 1, isTroubled(exchange) ? end + 1 : place + 2)
  // Of several states that fit, nobody knows which one it was: what they chose may not be the same.
  const learn = states.length === 1
  const { etag, ...body } = bodyOf(exchange)
  const own = toldBy(done, course.states[place + 1] as State).etag
  if (etag && etag.version !== own?.version) fail(exchange, 'Its ETag is of a later change.')
  // Of a record that was read back later it is left out.
  const hidesTag = etag === undefined && isTroubled(exchange)
  const differences = states.map((state) => {
    const told = { ...toldBy(done, state), ...(hidesTag && { etag }) }
    return course.choices.difference(told, { ...body, etag }, { learn })
  })
  if (!differences.includes(null)) fail(exchange, differences[0] ?? '')
}

const bodyOf = ({ body, headers }: Exchange) => ({
  data: body?.data,
  pagination: body?.pagination,
  etag: tagIn(headers.get('ETag')),
})
const toldBy = (done: Done, state: State) => ({
  pagination: undefined,
  etag: undefined,
  ...done.told(state),
})

/** Without a tag, and without a secret. */
function rehearsedBy(outcome: Done) {
  const { data, ...told } = toldBy(outcome, outcome.state)
  const { changes } = outcome
  const hasKey = isObject(data) && 'key' in data
  const more = { ...(hasKey && { key: null }), ...(changes && { changes }) }
  return { ...told, data: isObject(data) ? { ...data, ...more } : data, etag: undefined }
}

function tagIn(tag: string | null) {
  const [, version, of, shape] = /^"(\d+)\.([0-9a-f]{8})\.(\w+)"$/.exec(tag ?? '') ?? []
  return version === undefined ? undefined : { version: Number(version), of, shape }
}

/** Those in which its caller's settings are what its audit row says that they were. */
function statesFor(course: Course, exchange: Exchange): State[] {
  const [first, last] = windowOf(course, exchange)
  const version = course.rows.get(exchange.request_id)?.settings_version
  const all = course.states.slice(first, last + 1)
  if (version === undefined || isLost(exchange)) return all
  const known = course.states.find(({ workspace }) => workspace.settings_version === version)
  const settings = known && settingsOf(known, exchange)
  return all.filter((state) => settingsOf(state, exchange) === settings)
}

/** All that the request's caller rests on, as text. */
function settingsOf(state: State, { sent }: Exchange): string {
  const key = state.keys.get(sent.key_id)
  const partner = livePartner(state, key?.partner_id ?? null)
  const mappings = [...state.mappings].filter(([name]) => name.startsWith(`${partner?.id} `))
  return JSON.stringify([key, partner, mappings, state.workspace.integration_enabled])
}

/**
 * Whether its caller's settings have changed more often while it was under way than it is begun anew;
 * or, where it names a record by something that can change, anything has.
 */
function isMoving(course: Course, exchange: Exchange): boolean {
  const [first, last] = windowOf(course, exchange)
  const states = course.states.slice(first, last + 1)
  const settings = states.map((state) => settingsOf(state, exchange))
  const changes = settings.filter((text, at) => at > 0 && text !== settings[at - 1]).length
  const { scope, path } = exchange.sent.operation
  const isUndo = path.endsWith('/undo/')
  const isNamed = isUndo || (scope.startsWith('integrations.') && path.includes(':at'))
  return changes > RERUNS_MAX || (isNamed && states.length > 1)
}

/** The answer of a read or a refusal. */
function checkAnswer(course: Course, exchange: Exchange): void {
  const { sent, status } = exchange
  if (isLost(exchange)) {
    if (!isTroubled(exchange) && !isMoving(course, exchange)) {
      fail(exchange, 'Nothing was wrong with its calls.')
    }
    return
  }
  if (isWrite(exchange) && isAnswered(exchange)) {
    if (!course.commits.some((commit) => commit.exchange === exchange))
      fail(exchange, 'It was not done.')
    return
  }
  const states = statesFor(course, exchange)
  if (states.length === 0) fail(exchange, 'It rests on settings that were none meanwhile.')
  // The audit row of a dry run names the record that its answer shows. Faults may have kept it from being stored.
  const row = course.rows.get(exchange.request_id)
  const id = row ? row.record_id : idIn(exchange)
  const made = { id: id ?? 'none', request_id: exchange.request_id, status }
  const outcomes = states.map((state) => answerTo(sent, withMoments(course, state), made))
  const wrongs = outcomes.map((outcome) => {
    if (!isDone(outcome)) return refusalFault(outcome, exchange)
    if (isWrite(exchange)) return 'it is not refused'
    const told = sent.isDryRun ? rehearsedBy(outcome) : toldBy(outcome, outcome.state)
    if (told.etag) return readFault(course, exchange, told)
    if (status !== outcome.status) return `it is ${outcome.status}`
    if (sent.operation.path === '/audit-log/') return logFault(course, exchange)
    return course.choices.difference(told, bodyOf(exchange))
  })
  if (!wrongs.includes(null)) {
    fail(exchange, [...new Set(wrongs)].map((wrong) => `By the model ${wrong}.`).join('\n  '))
  }
}

function idIn({ body }: Exchange): string | undefined {
  return (body?.data as { id?: string } | undefined)?.id
}

/** Of one record: it is shown exactly if `If-None-Match` does not name it. */
function readFault({ choices }: Course, exchange: Exchange, told: ReturnType<typeof toldBy>) {
  const { sent, status, headers } = exchange
  const isNamed = sent.condition === '*' || sent.condition === headers.get('ETag')
  if (status !== (isNamed ? 304 : 200)) return `it is ${isNamed ? 304 : 200}`
  const { etag } = bodyOf(exchange)
  return status === 304
    ? choices.difference(told.etag, etag)
    : choices.difference(told, bodyOf(exchange))
}

/** With the moments at which orders were created, by which lists with filters are ordered. */
function withMoments({ choices }: Course, state: State): State {
  const orders = [...state.orders].map(([name, order]) => {
    return [name, { ...order, created_at: choices.valueOf(order.created_at) }] as const
  })
  return { ...state, orders: new Map(orders) }
}

function refusalFault(outcome: Exclude<Outcome, Done>, exchange: Exchange): string | null {
  const { status, body } = exchange
  const error = body?.error as { code?: string } | undefined
  const isSame =
    outcome.status === status &&
    outcome.code === error?.code &&
    (exchange.sent.isDryRun || outcome.version === bodyOf(exchange).etag?.version)
  return isSame ? null : `it is refused: ${outcome.status} ${outcome.code}`
}

/** The log at some moment while the request was under way. */
function logFault(course: Course, exchange: Exchange): string | null {
  const { log, commits } = course
  const [first] = windowOf(course, exchange)
  const least = first === 0 ? 0 : log.indexOf((commits[first - 1] as Commit).row) + 1
  const shown = (exchange.body?.data ?? []) as Json[]
  const pagination = exchange.body?.pagination as { limit: number; next_cursor: unknown }
  for (let length = least; length <= log.length; length++) {
    const { data, isMore } = listed(log.slice(0, length), exchange.sent.query)
    const isPaged = isMore === (pagination.next_cursor !== null)
    if (isPaged && course.choices.difference(data, withoutLater(shown)) === null) return null
  }
  return 'the log never was so'
}
