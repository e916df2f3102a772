import type { Fault } from '../../fixtures/fault.ts'
import type { Sent } from './access.ts'
import type { Call } from './calls.ts'
import type { Json } from './state.ts'

/** A request and what came of it. */
export interface Exchange {
  /** Of the sequence, from 0 on. */
  step: number
  call: Call
  /** What a cursor of its answer belongs to. */
  list: string
  sent: Sent
  /** As the audit log should have it. */
  path: string
  /** Of the answer. */
  request_id: string
  status: number
  headers: Headers
  text: string
  body: Json | null
  hits: Fault[]
  /** Of a call it may not have been heard in time, though nothing was done to it. */
  isSlow: boolean
}
