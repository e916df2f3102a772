import type { Json } from '../tenant.ts'

// The paths of MAPPING.md once more, on their own: what the mapping says of a document is checked
// against the document itself.

export type Step = string | number

/** `a.b[0]['c.d'][]` as its steps; a wildcard is `[]`. */
export function stepsOf(path: string): Step[] {
  const marks = path
    .replace(/^\$\.?/, '')
    .matchAll(/\['([^']*)'\]|\[(-?\d+)\]|(\[\*?\])|([^.[\]]+)/g)
  return Array.from(marks, ([, quoted, index, each, name]) => {
    if (each !== undefined) return '[]'
    return index === undefined ? (quoted ?? name ?? '') : Number(index)
  })
}

export function valueAt(document: Json, path: string): Json {
  return stepsOf(path).reduce((value, step) => value?.[step], document)
}

/** A copy in which the path leads to this value; without one, to nothing. */
export function changed(document: Json, path: string, ...values: [value?: Json]): Json {
  const copy = structuredClone(document)
  const steps = stepsOf(path)
  const last = steps.pop() ?? ''
  const parent = steps.reduce((value, step) => value[step], copy)
  if (values.length > 0) parent[last] = values[0]
  else delete parent[last]
  return copy
}

/**
 * The fields of a document that a mapping of these sources leaves alone, each once.
 */
export function unreadOf(document: Json, sources: string[]): string[] {
  const unread = collect(document, '', sources.map(stepsOf))
  return [...new Set(unread)]
}

function collect(value: Json, path: string, sources: Step[][]): string[] {
  if (sources.length === 0) return [path]
  if (sources.some((steps) => steps.length === 0)) return []
  if (Array.isArray(value)) {
    return value.flatMap((element, index) => {
      const here = [index, index - value.length, '[]']
      const read = sources.filter(([step = '']) => here.includes(step))
      return collect(
        element,
        `${path}[]`,
        read.map(([, ...rest]) => rest),
      )
    })
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const below = sources.filter(([step]) => step === name)
    const rest = below.map(([, ...steps]) => steps)
    return collect(member, joined(path, name), rest)
  })
}

function joined(path: string, name: string): string {
  if (/[\s.[\]'"*]/.test(name)) return `${path}['${name}']`
  return path ? `${path}.${name}` : name
}
