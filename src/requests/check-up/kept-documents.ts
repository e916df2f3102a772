import type { Pace } from '../../engine/limits/pace.ts'
import {
  type DocumentName,
  readDocument,
  type StoredDocument,
} from '../../engine/log/documents/store.ts'
import type { SpareMemory } from '../../middleware/document-access.ts'

/** Somebody waits for the page of the partner. */
const READING_MS_MAX = 5000
/** R2 takes much longer to find a document than it takes to read it, so it looks for several at a time. */
const ASKED_MAX = 4

/** Where the tenant's documents are, and memory to read them. */
export interface DocumentStore {
  bucket: R2Bucket
  tenant: string
  memory: SpareMemory
  pace: Pace
}

type Name = Pick<DocumentName, 'request_id' | 'created_at'>

/** There is no memory for a document now. */
class NoRoom extends Error {
  override name = 'NoRoom'
}

/**
 * Reads kept documents of a partner for a check-up: for five seconds in all, and one at a time in memory. It
 * never throws because of R2.
 */
export class KeptDocuments {
  readonly #store: DocumentStore
  readonly #partner_id: string
  readonly #ends_at = Date.now() + READING_MS_MAX
  #turn = Promise.resolve()
  #isOver = false
  #isComplete = true

  constructor(store: DocumentStore, partner_id: string) {
    this.#store = store
    this.#partner_id = partner_id
  }

  /** False once a document could not be read in time, or had no room in memory. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /**
   * Calls `use` with each document and its place in the list, in any order, and leaves out those that are not there.
   * False if R2 failed or the time was over: then `use` has not had all of them.
   */
  async each(
    names: readonly Name[],
    use: (document: StoredDocument, index: number) => void | Promise<void>,
  ): Promise<boolean> {
    const queue = names.entries()
    await Promise.all(
      Array.from({ length: ASKED_MAX }, async () => {
        for (const [index, name] of queue) {
          if (this.#hasEnded()) return
          await this.#read(name, (document) => use(document, index))
        }
      }),
    )
    return !this.#isOver
  }

  async #read(name: Name, use: (document: StoredDocument) => void | Promise<void>): Promise<void> {
    const { memory } = this.#store
    let leave = () => {}
    const take = async (length: number) => {
      const endTurn = await this.#myTurn()
      leave = () => {
        memory.leave()
        endTurn()
      }
      if (this.#hasEnded() || !memory.take(length)) throw new NoRoom()
    }
    try {
      const document = await this.#find(name, take)
      if (!document) return
      await use(document)
    } finally {
      leave()
    }
  }

  /** Null also if R2 fails. */
  async #find(name: Name, takeMemory: (length: number) => Promise<void>) {
    const { bucket, tenant, pace } = this.#store
    const full = { tenant, partner_id: this.#partner_id, ...name }
    try {
      const msLeft = () => this.#ends_at - Date.now()
      return await readDocument(bucket, full, { pace, takeMemory, msLeft })
    } catch (error) {
      this.#isComplete = false
      this.#isOver ||= !(error instanceof NoRoom)
      return null
    }
  }

  /** Waits until no other document is in memory. The result ends the turn. */
  async #myTurn(): Promise<() => void> {
    const before = this.#turn
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#turn = promise
    await before
    return resolve
  }

  #hasEnded(): boolean {
    if (Date.now() > this.#ends_at) this.#isOver = true
    if (this.#isOver) this.#isComplete = false
    return this.#isOver
  }
}
