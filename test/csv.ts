/** The lines of a CSV by RFC 4180, each with its cells. Throws where the text is no such CSV. */
export function linesOf(text: string): string[][] {
  const lines: string[][] = []
  let cells: string[] = []
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  while (field.lastIndex < text.length) {
    const at = field.lastIndex
    const [, quoted, plain = '', end] = field.exec(text) ?? []
    if (end === undefined) throw new Error(`No CSV at ${at}: ${text.slice(at, at + 80)}`)
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === ',') continue
    lines.push(cells)
    cells = []
  }
  if (cells.length > 0) throw new Error('The last line has no end.')
  return lines
}

/** The lines after the first, by the names that it has. */
export function recordsOf(text: string): Record<string, string>[] {
  const [names = [], ...lines] = linesOf(text)
  return lines.map((cells) => {
    if (cells.length !== names.length) throw new Error(`${cells.length} cells: ${cells.join()}`)
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']))
  })
}
