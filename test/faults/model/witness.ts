import { answerTo } from './access.ts'
import { type AuditRow, listed } from './audit-rows.ts'
import { contentsOf } from './contents.ts'
import { envelopeFault } from './envelope.ts'
import { Choices } from './matching.ts'
import { type Done, isDone, type Made, type Outcome } from './operation.ts'
import { livePartner } from './partners.ts'
import type { Exchange } from './play.ts'
import type { State } from './state.ts'
import type { Contents, World } from './world.ts'

// A write's audit row commits with the write: seq is the order in which the writes happened. So the
// model does them in that order, each must succeed there, and every answer must be what the model
// says at its place, or, of reads and refusals, at some place while the request was under way.

/** What the service did that the model does not. */
export class Contradiction extends Error {
  override name = 'Contradiction'
}

interface Commit {
  exchange: Exchange
  row: AuditRow
  done: Done
}

interface Course {
  exchanges: Exchange[]
  rows: Map<string, AuditRow>
  audit: AuditRow[]
  commits: Commit[]
  /** states[n] is what n commits have made. */
  states: State[]
  choices: Choices
  /** Requests that the service's own log tells of. */
  logged: Map<string, string>
}

export function check(
  world: World,
  exchanges: Exchange[],
  contents: Contents,
  logged: Map<string, string>,
): void {
  const { audit } = contents
  const rows = new Map(audit.map((row) => [row.request_id, row]))
  const choices = new Choices()
  const course: Course = {
    exchanges,
    rows,
    audit,
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
  replay(course)
  for (const commit of course.commits) checkWriter(course, commit)
  const difference = choices.difference(contentsOf(lastOf(course)), contents.tables, {
    learn: true,
  })
  if (difference) throw new Contradiction(`The database: ${difference}`)
  for (const exchange of exchanges) checkRow(course, exchange)
  for (const exchange of exchanges) checkAnswer(course, exchange)
}

const lastOf = ({ states }: Course) => states.at(-1) as State

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
function replay(course: Course): void {
  const byRequest = new Map(course.exchanges.map((exchange) => [exchange.request_id, exchange]))
  let step = 0
  for (const row of course.audit) {
    const exchange = byRequest.get(row.request_id) as Exchange
    if (!exchange.sent.operation.isWrite || row.status >= 300) continue
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
const isAnswered = ({ status }: Exchange) => status < 300
/** Nobody knows whether it happened, but the audit log. */
const isLost = ({ status }: Exchange) => status >= 500
const madeBy = (row: AuditRow): Made => ({ id: row.record_id ?? '', request_id: row.request_id })

/** The answer of a write that happened: what it read back, or 503 where that was lost. */
function checkWriter(course: Course, { exchange, row, done }: Commit): void {
  const { status, body } = exchange
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
  const differences = states.map((state) =>
    course.choices.difference(toldBy(done, state), bodyOf(body), { learn }),
  )
  if (!differences.includes(null)) fail(exchange, differences[0] ?? '')
}

const bodyOf = (body: Exchange['body']) => ({ data: body?.data, pagination: body?.pagination })
const toldBy = (done: Done, state: State) => ({ pagination: undefined, ...done.told(state) })

/** The first and the last of the states that there may have been while the request was under way. */
function windowOf({ commits }: Course, { step }: Exchange): [first: number, last: number] {
  const before = commits.findLastIndex(
    ({ exchange }) => exchange.step < step && isAnswered(exchange),
  )
  const after = commits.findIndex(({ exchange }) => exchange.step > step)
  return [before + 1, after < 0 ? commits.length : after]
}

function statesFor(course: Course, exchange: Exchange): State[] {
  const [first, last] = windowOf(course, exchange)
  const version = course.rows.get(exchange.request_id)?.settings_version
  const all = course.states.slice(first, last + 1)
  if (version === undefined || isLost(exchange)) return all
  return all.filter(({ workspace }) => workspace.settings_version === version)
}

/**
 * Whether settings have changed while it was under way; or, where it names a record by something that
 * can change, anything has.
 */
function isMoving(course: Course, exchange: Exchange): boolean {
  const [first, last] = windowOf(course, exchange)
  const versions = course.states
    .slice(first, last + 1)
    .map(({ workspace }) => workspace.settings_version)
  const { scope, path } = exchange.sent.operation
  const isNamed = scope.startsWith('integrations.') && path.includes(':at')
  return versions[0] !== versions.at(-1) || (isNamed && versions.length > 1)
}

/** The answer of a read or a refusal. */
function checkAnswer(course: Course, exchange: Exchange): void {
  const { sent, status, body } = exchange
  if (isLost(exchange)) {
    if (!isTroubled(exchange) && !isMoving(course, exchange)) {
      fail(exchange, 'Nothing was wrong with its calls.')
    }
    return
  }
  if (sent.operation.isWrite && isAnswered(exchange)) {
    if (!course.commits.some((commit) => commit.exchange === exchange))
      fail(exchange, 'It was not done.')
    return
  }
  const states = statesFor(course, exchange)
  if (states.length === 0) fail(exchange, 'It rests on settings that were none meanwhile.')
  const made = { id: 'none', request_id: exchange.request_id }
  const outcomes = states.map((state) => answerTo(sent, state, made))
  const wrongs = outcomes.map((outcome) => {
    if (!isDone(outcome)) return refusalFault(outcome, exchange)
    if (sent.operation.isWrite) return 'it is not refused'
    if (status !== outcome.status) return `it is ${outcome.status}`
    const told = toldBy(outcome, outcome.state)
    if (sent.operation.path === '/audit-log/') return logFault(course, exchange)
    return course.choices.difference(told, bodyOf(body))
  })
  if (!wrongs.includes(null)) {
    fail(exchange, [...new Set(wrongs)].map((wrong) => `By the model ${wrong}.`).join('\n  '))
  }
}

function refusalFault(outcome: Exclude<Outcome, Done>, { status, body }: Exchange): string | null {
  const error = body?.error as { code?: string } | undefined
  const isSame = outcome.status === status && outcome.code === error?.code
  return isSame ? null : `it is refused: ${outcome.status} ${outcome.code}`
}

/** The log at some moment while the request was under way. */
function logFault(course: Course, exchange: Exchange): string | null {
  const { audit, commits } = course
  const [first] = windowOf(course, exchange)
  const least = first === 0 ? 0 : audit.indexOf((commits[first - 1] as Commit).row) + 1
  const pagination = exchange.body?.pagination as { limit: number; next_cursor: unknown }
  for (let length = least; length <= audit.length; length++) {
    const { data, isMore } = listed(audit.slice(0, length), exchange.sent.query)
    const isPaged = isMore === (pagination.next_cursor !== null)
    if (isPaged && course.choices.difference(data, exchange.body?.data) === null) return null
  }
  return 'the log never was so'
}

/** What the audit log says of the request. */
function checkRow(course: Course, exchange: Exchange): void {
  const { request_id, sent, path, status, body } = exchange
  const row = course.rows.get(request_id)
  if (!row) return
  const commit = course.commits.find((one) => one.exchange === exchange)
  const isTold =
    row.status === status || (isLost(exchange) && (commit || wasRefused(course, exchange, row)))
  if (!isTold) fail(exchange, `Its audit row says ${row.status}.`)
  const error = body?.error as { code?: string } | undefined
  const upload = commit?.done.upload
  const told = row.status === status ? (error?.code ?? null) : row.error_code
  const expected = {
    api_key_id: sent.key_id,
    method: sent.operation.method,
    path,
    error_code: commit ? null : told,
    source: upload?.source ?? null,
    notes: upload?.notes ?? null,
    rows_total: upload?.total ?? null,
    rows_created: upload?.created ?? null,
    rows_updated: upload ? upload.total - upload.created - upload.failed : null,
    rows_failed: upload?.failed ?? null,
  }
  const actual = Object.fromEntries(
    Object.keys(expected).map((name) => [name, Reflect.get(row, name)]),
  )
  const difference = course.choices.difference(expected, actual)
  if (difference) fail(exchange, `Its audit row: ${difference}`)
  if (row.duration_ms < 0) fail(exchange, `It took ${row.duration_ms} ms.`)
  checkCaller(course, exchange, row)
}

/**
 * Whether the row tells of a refusal that the model knows: it fences off the write, which D1 has done
 * without saying so.
 */
function wasRefused(course: Course, exchange: Exchange, row: AuditRow): boolean {
  const [first, last] = windowOf(course, exchange)
  return course.states.slice(first, last + 1).some((state) => {
    const outcome = answerTo(exchange.sent, state, madeBy(row))
    return !isDone(outcome) && outcome.status === row.status && outcome.code === row.error_code
  })
}

/** The row names key and partner as they were called under its settings. */
function checkCaller({ states }: Course, exchange: Exchange, row: AuditRow): void {
  const state = states.find(({ workspace }) => workspace.settings_version === row.settings_version)
  if (!state) fail(exchange, `There never were settings ${row.settings_version}.`)
  const key = state?.keys.get(row.api_key_id)
  const partner = state && livePartner(state, key?.partner_id ?? null)
  const names = [key?.name, partner?.id ?? null, partner?.name ?? null]
  const said = [row.api_key_name, row.partner_id, row.partner_name]
  if (names.join() !== said.join()) fail(exchange, `Its audit row says ${said}, not ${names}.`)
}

function fail(exchange: Exchange, why: string): never {
  const { step, call, sent, path, status, text, request_id, hits } = exchange
  const lines = [
    `Step ${step + 1}, ${call.client}: ${sent.operation.method} ${path} ${JSON.stringify(sent.query)}`,
    ...(sent.body === undefined ? [] : [`  ${JSON.stringify(sent.body)}`]),
    ...hits.map((fault) => `  met ${JSON.stringify(fault)}`),
    `  was answered ${status} ${text} (${request_id})`,
    `  ${why}`,
  ]
  throw new Contradiction(lines.join('\n'))
}
