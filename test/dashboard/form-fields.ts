import type { Fields } from '../fixtures/forms.ts'

const CONTROL = /<input\b[^>]*>|<select\b.*?<\/select>|<textarea\b[^>]*>.*?<\/textarea>/gs
const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" } as const

/** What a browser would send of the page's form with this class, as it was loaded. */
export function fieldsOf(html: string, form: string): Record<string, string[]> {
  const start = html.indexOf(`class="${form}"`)
  if (start === -1) throw new Error(`there is no form "${form}"`)
  const within = html.slice(start, html.indexOf('</form>', start))
  const fields: Record<string, string[]> = {}
  for (const [control] of within.matchAll(CONTROL)) {
    const values = fields[attribute(control, 'name')] ?? []
    fields[attribute(control, 'name')] = [...values, sentBy(control)]
  }
  return fields
}

/** The same form, filled in differently. */
export function filledIn(html: string, form: string, changes: Fields): Fields {
  return { ...fieldsOf(html, form), ...changes }
}

function sentBy(control: string): string {
  if (control.startsWith('<select')) return attribute(chosenOf(control), 'value')
  if (control.startsWith('<input')) return asSent(attribute(control, 'value'))
  const text = decode(control.replace(/^[^>]*>/, '').replace('</textarea>', ''))
  return text.replace(/^\n/, '').replaceAll('\n', '\r\n')
}

function chosenOf(select: string): string {
  return /<option[^>]* selected[^>]*>/.exec(select)?.[0] ?? /<option[^>]*>/.exec(select)?.[0] ?? ''
}

/** A text field has one line, and HTML has neither NUL nor lone surrogates. */
function asSent(value: string): string {
  return value
    .replace(/[\r\n]/g, '')
    .replaceAll('\0', '\ufffd')
    .toWellFormed()
}

function attribute(tag: string, name: string): string {
  return decode(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
}

export function decode(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: keyof typeof ENTITIES) => ENTITIES[name])
}

/** What the page's first input or select of this name shows. */
export function shownIn(html: string, name: string): string {
  const controls = html.matchAll(CONTROL)
  const [found] = [...controls].find(([control]) => attribute(control, 'name') === name) ?? []
  if (found === undefined) throw new Error(`there is no field "${name}"`)
  return sentBy(found)
}
