import type { FormatOptions } from '../../engine/formats/options.ts'

const LINE = /^(csv|form|xml) +([a-z]+)(?: +([^\s=]+))? *=(.*)$/
const NAMES = ['csv separator', 'csv header', 'form json', 'form charset', 'xml prefix']
const [TAB, YES, NO] = ['tab', 'yes', 'no']

/** How bodies are read that are no JSON, one option a line: `csv separator = ;`, `xml prefix cbc = urn:...`. */
export function writeFormats({ csv, form, xml }: FormatOptions): string {
  const separator = csv?.separator === '\t' ? TAB : csv?.separator
  return [
    ...lineOf('csv separator', separator),
    ...lineOf('csv header', csv?.header === undefined ? undefined : csv.header ? YES : NO),
    ...lineOf('form json', form?.json),
    ...lineOf('form charset', form?.charset),
    ...Object.entries(xml?.prefixes ?? {}).flatMap(([prefix, address]) =>
      lineOf(prefix === '' ? 'xml prefix' : `xml prefix ${prefix}`, address),
    ),
  ].join('\n')
}

function lineOf(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`${name} = ${value}`]
}

/** Reads what `writeFormats` wrote, as a mapping has it. SaveMapping checks the values. */
export function readFormats(text: string): { formats: FormatOptions } | { fault: string } {
  const formats: Record<string, Record<string, unknown>> = {}
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const [, format = '', name = '', prefix, given = ''] = LINE.exec(line.trim()) ?? []
    const known = `${format} ${name}`
    if (!NAMES.includes(known) || (prefix !== undefined && name !== 'prefix')) {
      return { fault: faultAt(index) }
    }
    const options = formats[format] ?? {}
    const option =
      name === 'prefix'
        ? { prefixes: { ...(options.prefixes as object), [prefix ?? '']: given.trim() } }
        : { [name]: optionOf(known, given.trim()) }
    formats[format] = { ...options, ...option }
  }
  return { formats }
}

function optionOf(name: string, text: string): unknown {
  if (name === 'csv separator' && text.toLowerCase() === TAB) return '\t'
  if (name === 'csv header' && text === NO) return false
  return name === 'csv header' && text === YES ? true : text
}

function faultAt(index: number): string {
  return `Line ${index + 1} must be like: csv separator = ;, csv header = no, form json = payload, form charset = windows-1252, or xml prefix cbc = urn:...`
}
