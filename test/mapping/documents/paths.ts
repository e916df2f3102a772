import type { Json } from '../../fixtures/tenant.ts'

// The paths of docs/mappings.md once more, on their own: what the mapping says of a document is checked
// against the document itself.

export type Step = string | number

/** `a.b[0]['c.d'][]` as its steps; a wildcard is `[]`, and so is a filter beside one. */
export function stepsOf(path: string): Step[] {
  const marks = path
    .replace(/^\$\.?/, '')
    .matchAll(/\['([^']*)'\]|\[(-?\d+)\]|(\[\*?\]|\[\?@(?:\['[^']*'\]|[^\]])*\])|([^.[\]]+)/g)
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

/** What a mapping of these sources leaves alone, each once: elements that it passes over, and other fields. */
export function unreadOf(document: Json, sources: string[]) {
  const unread = new Set(collect(document, '', sources.map(stepsOf)))
  const [passedOver = [], fields = []] = [true, false].map((isElement) =>
    [...unread].filter((name) => /\[\d+\]$/.test(name) === isElement),
  )
  return { passedOver, fields }
}

function collect(value: Json, path: string, sources: Step[][]): string[] {
  if (sources.length === 0) return [path]
  if (sources.some((steps) => steps.length === 0)) return []
  if (Array.isArray(value)) {
    const readAt = (index: number) =>
      sources.filter(([step = '']) => [index, index - value.length, '[]'].includes(step))
    const indexes = [...value.keys()]
    const first = indexes.find((index) => readAt(index).length === 0)
    const within = indexes.flatMap((index) => {
      const rest = readAt(index).map(([, ...steps]) => steps)
      return rest.length > 0 ? collect(value[index], `${path}[]`, rest) : []
    })
    return first === undefined ? within : [`${path}[${first}]`, ...within]
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
