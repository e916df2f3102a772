/** A command of a document, and what it prints there. */
export interface Walked {
  command: string
  /** Without empty lines. */
  printed: string[]
}

const BLOCK = /^```text\n(\$ .*?)^```$/gms
/** Stands for any text within a line, and for any lines where it has a line of its own. */
const ANY = '…'
/** `<name>` stands for one word, the same wherever it has this name. A duration is never the same. */
const PART = /<([a-z][a-z ]*)>|…|\(\d+\.\d s\)/g

/** The commands of a document's blocks that begin with a prompt, in their order. */
export function commandsIn(markdown: string): Walked[] {
  const blocks = [...markdown.matchAll(BLOCK)].map(([, lines = '']) => lines)
  const commands = blocks.flatMap((lines) => lines.split(/^\$ /m).slice(1))
  return commands.map((text) => {
    const [command = '', ...printed] = text.split('\n')
    return { command, printed: printed.filter((line) => line !== '') }
  })
}

/** Compares what is printed with a document, and remembers the values of its names. */
export class Reader {
  readonly #values = new Map<string, string>()

  /** The text with the values of names in it. Throws where a name has none yet. */
  fillIn(text: string): string {
    return text.replace(/<([a-z][a-z ]*)>/g, (_, name: string) => {
      const value = this.#values.get(name)
      if (value === undefined) throw new Error(`Nothing was printed that is <${name}>.`)
      return value
    })
  }

  /** What was printed, as the document has it where they agree, else as it is. */
  read({ printed }: Walked, output: string): string[] {
    const lines = output.split('\n').filter((line) => line.trim() !== '')
    const read: string[] = []
    for (const [index, line] of printed.entries()) {
      if (line === ANY) {
        const next = printed[index + 1]
        while (lines.length > 0 && (next === undefined || !this.#agrees(next, lines[0]!))) {
          lines.shift()
        }
        read.push(ANY)
      } else {
        const found = lines.shift()
        if (found !== undefined) read.push(this.#agrees(line, found) ? line : found)
      }
    }
    return [...read, ...lines]
  }

  #agrees(line: string, found: string): boolean {
    const names: string[] = []
    let pattern = ''
    let at = 0
    for (const { 0: part, 1: name, index } of line.matchAll(PART)) {
      pattern += escaped(line.slice(at, index)) + this.#patternOf(part, name, names)
      at = index + part.length
    }
    const values = new RegExp(`^${pattern}${escaped(line.slice(at))}$`).exec(found)
    for (const [index, name] of names.entries()) {
      if (values) this.#values.set(name, values[index + 1]!)
    }
    return values !== null
  }

  #patternOf(part: string, name: string | undefined, names: string[]): string {
    if (part === ANY) return '.*?'
    if (name === undefined) return '\\(\\d+\\.\\d s\\)'
    const value = this.#values.get(name)
    if (value !== undefined) return escaped(value)
    names.push(name)
    return '(\\S+?)'
  }
}

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
}
