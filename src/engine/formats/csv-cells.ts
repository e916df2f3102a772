import { separatorOf } from './csv.ts'
import type { Span } from './text-place.ts'

/** A cell, by the number of its row, which begins with 1, and its column's name or number; or a row as a whole. */
export interface CellAsked {
  row: number
  column: string | number | null
}

const [QUOTE, LINE_FEED, CARRIAGE_RETURN] = ['"', '\n', '\r'] as const

/** Where these cells stand in a CSV text; null of one that is not there. */
export function findCells(text: string, asked: readonly CellAsked[]): (Span | null)[] {
  const walk = new CellWalk(text, asked)
  walk.toEnd()
  return walk.found
}

class CellWalk {
  readonly found: (Span | null)[]
  readonly #text: string
  readonly #asked: readonly CellAsked[]
  readonly #separator: string
  readonly #names: string[] = []
  #row = 1
  #column = 0
  #rowStart = 0
  #start = 0

  constructor(text: string, asked: readonly CellAsked[]) {
    this.#text = text
    this.#asked = asked
    this.#separator = separatorOf(text)
    this.found = asked.map(() => null)
  }

  toEnd(): void {
    let isQuoted = false
    for (let at = 0; at <= this.#text.length; at++) {
      const mark = this.#text[at]
      if (mark === QUOTE && this.#text[this.#start] === QUOTE) isQuoted = !isQuoted
      if (isQuoted && mark !== undefined) continue
      if (mark === this.#separator) this.#endCell(at)
      if (mark !== undefined && mark !== LINE_FEED && mark !== CARRIAGE_RETURN) continue
      const isBoth = mark === CARRIAGE_RETURN && this.#text[at + 1] === LINE_FEED
      this.#endRow(at, isBoth ? at + 2 : at + 1)
      if (isBoth) at += 1
    }
  }

  #endCell(end: number): void {
    const span = { start: this.#start, end }
    if (this.#row === 1) this.#names.push(nameIn(this.#text.slice(span.start, end)))
    const [name, number] = [this.#names[this.#column], this.#column + 1]
    this.#find(span, ({ column }) => column !== null && (column === name || column === number))
    this.#column += 1
    this.#start = end + 1
  }

  #endRow(end: number, next: number): void {
    this.#endCell(end)
    this.#find({ start: this.#rowStart, end }, ({ column }) => column === null)
    this.#row += 1
    this.#column = 0
    this.#rowStart = next
    this.#start = next
  }

  #find(span: Span, isAt: (asked: CellAsked) => boolean): void {
    for (const [index, one] of this.#asked.entries()) {
      if (one.row === this.#row && isAt(one)) this.found[index] ??= span
    }
  }
}

function nameIn(cell: string): string {
  const isQuoted = cell.startsWith(QUOTE) && cell.endsWith(QUOTE) && cell.length > 1
  return (isQuoted ? cell.slice(1, -1).replaceAll('""', QUOTE) : cell).trim()
}
