import type { AuditRow } from './audit-rows.ts'
import type { Exchange } from './exchange.ts'
import { isObject } from './fields.ts'
import type { Choices } from './matching.ts'
import type { Done, Made } from './operation.ts'
import type { Json, State } from './state.ts'

/** What the service did that the model does not. */
export class Contradiction extends Error {
  override name = 'Contradiction'
}

export interface Commit {
  exchange: Exchange
  row: AuditRow
  done: Done
}

export interface Course {
  exchanges: Exchange[]
  rows: Map<string, AuditRow>
  audit: AuditRow[]
  /** Those of the follower as well. */
  log: AuditRow[]
  commits: Commit[]
  /** states[n] is what n commits have made. */
  states: State[]
  choices: Choices
  /** Requests that the service's own log tells of. */
  logged: Map<string, string>
}

/** The first and the last of the states that there may have been while the request was under way. */
export function windowOf({ commits }: Course, { step }: Exchange): [first: number, last: number] {
  const before = commits.findLastIndex(
    ({ exchange }) => exchange.step < step && isAnswered(exchange),
  )
  const after = commits.findIndex(({ exchange }) => exchange.step > step)
  return [before + 1, after < 0 ? commits.length : after]
}

/** It changes something if it is answered. */
export const isWrite = ({ sent }: Exchange) => sent.operation.isWrite && !sent.isDryRun
export const isAnswered = ({ status }: Exchange) => status < 300
/** Nobody knows whether it happened, but the audit log. */
export const isLost = ({ status, body }: Exchange) => status >= 500 && !isPaused(body)

const isPaused = (body: Json | null) => isObject(body?.error) && body.error.reason === 'PAUSED'

/** The clock of the database reads a millisecond more or less than that of the Worker. */
const CLOCK_MS = 3

export function madeBy(row: AuditRow): Made {
  const { record_id, request_id, created_at, status, duration_ms } = row
  const { api_key_id, api_key_name, partner_id, partner_name } = row
  const api_key = { id: api_key_id, name: api_key_name }
  const partner = partner_id === null ? null : { id: partner_id, name: partner_name ?? '' }
  const request = { request_id, created_at, api_key, partner }
  const until = Date.parse(created_at) + duration_ms + CLOCK_MS
  return { id: record_id ?? '', request_id, status, request, until }
}

export function fail(exchange: Exchange, why: string): never {
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
