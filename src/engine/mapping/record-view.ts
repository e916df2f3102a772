import { isObject, type JsonObject, memberOf } from '../json/json-object.ts'
import { EACH, type Path, type PathStep, printPath } from '../json/path.ts'
import { membersAsList } from './list.ts'
import type { Problem } from './problem.ts'
import type { RecordRules } from './records.ts'
import { isList, type MappingRule } from './rules.ts'

/** Where a record is in its document. */
export interface FoundRecord {
  /** By level: the index of the element at hand. */
  indexes: readonly number[]
  /** By level: that element. */
  elements: readonly unknown[]
  /** With `group_by`: the rows of the record, and their indexes. */
  rows: { index: number; row: unknown }[] | null
  /** Why it cannot be told which record a row belongs to. */
  problem: Problem | null
}

/**
 * One record of a document as its rules read it (atHand): an object with the elements at hand, by the paths that lead to
 * them, and with the document's fields beside them. Nothing of the document is copied.
 */
export class RecordView {
  readonly payload: JsonObject
  readonly #records: RecordRules
  readonly #document: unknown
  readonly #found: FoundRecord
  readonly #listsSingles: boolean
  readonly #rows: readonly unknown[] | null
  #row = 0
  /** By rule of the header: the row that it reads. */
  readonly #picked = new Map<string, number>()

  constructor(
    records: RecordRules,
    document: unknown,
    beside: Iterable<string>,
    found: FoundRecord,
    listsSingles: boolean,
  ) {
    this.#listsSingles = listsSingles
    this.#records = records
    this.#document = document
    this.#found = found
    const outside = Array.from(beside).flatMap((name): [string, unknown][] =>
      isObject(document) && Object.hasOwn(document, name) ? [[name, document[name]]] : [],
    )
    const { rows } = found
    this.#rows = rows ? rows.map(({ row }) => row) : null
    const own = rows
      ? [
          [records.rows, this.#rows],
          [this.#rowName, this.#rows?.[0]],
        ]
      : records.levels.map(({ text }, level) => [text, found.elements[level]])
    this.payload = Object.fromEntries([...outside, ...own])
  }

  get #rowName(): string {
    return this.#records.levels[0]?.text ?? ''
  }

  /** How many rows the record has. */
  get rowCount(): number {
    return this.#rows?.length ?? 1
  }

  /** Lets a rule of the header read this row. */
  turnTo(row: number): void {
    if (!this.#rows) return
    this.#row = row
    this.payload[this.#rowName] = this.#rows[row]
  }

  /** Remembers the row that the rule reads. */
  pick({ name }: MappingRule, row: number): void {
    this.#picked.set(name, row)
    this.turnTo(row)
  }

  /** Lets the rule read the row that it has read before. */
  turnFor({ name }: MappingRule): void {
    this.turnTo(this.#picked.get(name) ?? 0)
  }

  /** A path of the record as the document has it. */
  print(path: Path): string {
    const [first, ...below] = path
    const { levels, rows } = this.#records
    if (this.#found.rows && first === rows) return this.#printRow(below)
    const level = levels.findLast(({ text }) => text === first)
    return printPath(level ? [...this.#wayTo(level.at), ...below] : path)
  }

  /** A path that begins in the array of the group's rows. */
  #printRow([first, ...below]: Path): string {
    const { levels, path } = this.#records
    const array = path.slice(0, levels[0]?.at)
    if (first === undefined) return printPath(array)
    const row = typeof first === 'number' ? (this.#found.rows?.[first]?.index ?? first) : first
    return printPath([...this.#inDocument([...array, row]), ...below])
  }

  /** The way to the element at hand. */
  #wayTo(at: number): PathStep[] {
    const { indexes, rows } = this.#found
    const here = rows ? [rows[this.#row]?.index ?? 0] : indexes
    let depth = 0
    const way = this.#records.path
      .slice(0, at + 1)
      .map((step): PathStep => (isList(step) ? (here[depth++] ?? EACH) : step))
    return this.#inDocument(way)
  }

  /** The way as the document has it: a member of an object has a name, and a single value no index. */
  #inDocument(way: Path): PathStep[] {
    let value = this.#document
    return way.flatMap((step) => {
      const isNamed = typeof step === 'number' && isObject(value) && !this.#listsSingles
      const own = isNamed
        ? (membersAsList(value as JsonObject).names[step as number] ?? step)
        : step
      if (typeof own === 'number' && !Array.isArray(value)) return []
      value = memberOf(value, own)
      return [own]
    })
  }
}
