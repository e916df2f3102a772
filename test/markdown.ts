export type Row = Record<string, string>

/** A fenced block. */
export interface Block {
  language: string
  text: string
  /** The comment right above it: `excerpt`; empty where there is none. */
  mark: string
}

/** The blocks in order, also those of list items, as a reader would copy them. */
export function blocksOf(markdown: string): Block[] {
  const blocks = markdown.matchAll(/(?:<!-- (.*?) -->\n)?^( *)```(\w*)\n(.*?)^\2```$/gms)
  return Array.from(blocks, ([, mark = '', indent, language = '', text = '']) => ({
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    mark,
  }))
}

/** The text under `## heading`; empty where there is no such section. */
export function sectionOf(markdown: string, heading: string): string {
  return markdown.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
}

/** Its tables in order, their rows by the first cell, and each row's cells by the column's head. */
export function tablesOf(markdown: string): Map<string, Row>[] {
  const tables = markdown.match(/(?:^\|.*\|\n)+/gm) ?? []
  return tables.map((table) => {
    const [heads = [], , ...rows] = table.trimEnd().split('\n').map(cellsOf)
    const rowOf = (cells: string[]) =>
      Object.fromEntries(heads.map((head, n) => [head, cells[n] ?? '']))
    return new Map(rows.map((cells) => [cells[0] ?? '', rowOf(cells)]))
  })
}

function cellsOf(line: string): string[] {
  const cells = line.slice(1, -1).split('|')
  return cells.map((cell) => cell.trim())
}

/** The first number in a text: 4012.3 of `$4,012.30 a million`. NaN where there is none. */
export function numberIn(text: string | undefined): number {
  return Number(text?.match(/\d[\d,]*(?:\.\d+)?/)?.[0].replaceAll(',', '') ?? Number.NaN)
}
