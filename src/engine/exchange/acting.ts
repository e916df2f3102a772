import type { Context } from 'hono'
import type { Explanation } from '../db/audit-row.ts'
import type { Meter } from '../db/connect.ts'
import type { AppEnv, Kept } from '../env.ts'
import type { Caller } from '../identity/caller.ts'
import type { ActedFor } from '../identity/caller-d1.ts'
import type { SentWith } from '../json/sent-with.ts'
import type { Share } from '../limits/budget.ts'
import type { MappedDocument } from '../mapping/inbound.ts'

/** A request that the Worker makes for a caller whom it knows: in place of a partner, or for one record of a document. */
export interface Acting {
  caller: Caller
  /** Null for the caller itself. */
  actedFor: ActedFor | null
  /** One of several records of a document, which is the body of this request. */
  record?: RecordOfDocument | undefined
  /** What is known of the delivery that has brought its record among others. */
  part?: PartOfDelivery | undefined
  /** Counts what it costs, together with others. */
  meter?: Meter | undefined
  /** The id of the request that this one repeats, or that has brought its record; null if there is none. */
  replay_of: string | null
  /** Its own id, if there is a reason for a certain one. */
  request_id?: string | undefined
  /** The field that its path names a record by, whatever the settings say. */
  identifier_field?: 'id'
  /** Places whose values its document lacks. */
  redacted: readonly string[]
  /** Its memory is that of the request that makes it. */
  kept: Kept
}

export interface RecordOfDocument {
  document: MappedDocument
  /** The id of the record that was created. */
  id?: string
  /** Why it was refused, as its audit row has it. */
  explanation?: Explanation
}

export interface PartOfDelivery {
  sender_event: string | null
  sender_id: string | null
  /** What came beside the delivery's body, as far as a mapping may read it. */
  sent_with: SentWith
  /** When the delivery came. */
  created_at: string
  dry_run: boolean
}

// By Request object, which no caller can make: a header could be forged.
const requests = new WeakMap<Request, Acting>()

export function actingIn(c: Context<AppEnv>): Acting | undefined {
  return requests.get(c.req.raw)
}

/** The record that is the body of the request. */
export function recordIn(c: Context<AppEnv>): RecordOfDocument | undefined {
  return actingIn(c)?.record
}

export function partIn(c: Context<AppEnv>): PartOfDelivery | undefined {
  return actingIn(c)?.part
}

/** Whether the request is about one record of a document that another one has brought. */
export function isOfDocument(c: Context<AppEnv>): boolean {
  return recordIn(c) !== undefined || partIn(c) !== undefined
}

/**
 * Makes a request in place of a partner, with the caller's own key: it is answered, audited and guarded as
 * any other. It shares the memory of the request that makes it.
 */
export async function act(
  c: Context<AppEnv>,
  request: Request,
  acted: Omit<Acting, 'caller' | 'kept'>,
): Promise<Response> {
  const outer = c.get('exchange').kept
  const { memory, largeWork, pace } = outer
  const kept = { ...newKept(), memory: memory && lent(memory), largeWork, pace }
  requests.set(request, { ...acted, caller: c.get('caller'), kept })
  try {
    return await c.get('dispatch')(request)
  } finally {
    // The inner request may have given the turn back, or taken one. The outer request gives it back at its end.
    outer.largeWork = kept.largeWork
  }
}

/** The share, for a request that must not give it back: only its owner does. */
function lent(share: Share): Share {
  return {
    get bytes() {
      return share.bytes
    },
    leave: () => {},
    leavePlace: () => {},
    resize: (bytes) => share.resize(bytes),
    renew: (leaseMs) => share.renew(leaseMs),
    onTakenBack: (act) => share.onTakenBack(act),
  }
}

export function newKept(): Kept {
  return {
    turn: null,
    memory: null,
    hasEnded: false,
    largeWork: null,
    exporting: null,
    pace: null,
    document: null,
    waits_until: null,
    bytes: null,
    payload: null,
  }
}
