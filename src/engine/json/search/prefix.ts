// SQLite compares texts by their code points. With COLLATE NOCASE it compares A-Z as a-z, and all else as it is.

const LAST = 0x10ffff
const SURROGATES = [0xd800, 0xdfff] as const

/** More than any text that a search may have, so that it ends any range of texts that begin alike. */
const BEYOND = '\u{10ffff}'.repeat(256)

/** The end, not included, of the range of all texts that begin with this one. */
export function endOfPrefix(text: string): string {
  return endBy(text, (point) => point + 1)
}

/** As endOfPrefix, in the order of COLLATE NOCASE. */
export function endOfPrefixAnyCase(text: string): string {
  const folded = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  // What follows "@" in this order is "[": the letters between them count as small ones.
  return endBy(folded, (point) => (point === 0x40 ? 0x5b : point + 1))
}

function endBy(text: string, next: (point: number) => number): string {
  const characters = [...text]
  for (let at = characters.length - 1; at >= 0; at--) {
    const point = characters[at]?.codePointAt(0) ?? LAST
    if (point === LAST) continue
    const raised = next(point)
    const [first, last] = SURROGATES
    const end = raised >= first && raised <= last ? last + 1 : raised
    return characters.slice(0, at).join('') + String.fromCodePoint(end)
  }
  return text + BEYOND
}
