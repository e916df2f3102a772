import type { EndpointChange, Release } from '../engine/releases/release.ts'
import { NO_BOOKMARK } from '../middleware/near-reads.ts'
import { because, bodyOf, wrong } from './errors.ts'
import { ADDRESS_PATH } from './integrations/deliveries.ts'

/** An object of a document whose members are parts of it, too. */
type DocumentPart = Record<string, unknown>

const COMPONENTS = '#/components/'

/** How the document of a release words what it says otherwise. */
export interface Wording {
  title: string
  /** Parts of the current descriptions, and what stands in their place. */
  texts: [current: string, instead: string][]
  /** Operations that may also give the errors of another whose status the release changes. */
  errorsOf: Record<string, string>
}

interface ErrorBody {
  error: { code: string; reason?: string; fields?: object }
}

interface Content {
  schema: DocumentPart
  example?: DocumentPart
  examples?: Record<string, { value: ErrorBody }>
}

interface Response {
  description: string
  content: { 'application/json': Content }
}

interface Operation {
  operationId: string
  tags: string[]
  parameters?: DocumentPart[]
  requestBody?: { content: { 'application/json': Content } }
  responses: Record<string, DocumentPart>
}

interface Document {
  info: { title: string }
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: object
}

interface Located {
  document: Document
  release: Release
  change: EndpointChange
  operation: Operation
}

/** What goes with a capability: parameters, headers, fields, statuses and types, by name. */
const GOES_WITH = {
  hasConditions: ['ifMatch', 'ifNoneMatch', 'ETag', '304', '412', 'if_quantity'],
  hasDryRuns: ['dryRun', 'X-Dry-Run', 'dry_run', 'changes'],
  hasExports: ['Content-Disposition', 'Vary', 'text/csv', 'application/x-ndjson'],
} as const

/** The document of an earlier release: the current one, less what the release does not have. */
export function documentIn(release: Release, current: object, wording: Wording): object {
  const absent = Object.entries(GOES_WITH).flatMap(([name, parts]) =>
    release[name as keyof typeof GOES_WITH] ? [] : parts,
  )
  const document = without(current, new Set(absent)) as Document
  const all: Located[] = []
  // No release changes what webhooks take.
  delete document.paths[ADDRESS_PATH]
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const change = release.endpoints[endpointOf(method, path)] ?? {}
      if (change.isMissing) delete item[method]
      else all.push({ document, release, change, operation })
    }
    if (Object.keys(item).length === 0) delete document.paths[path]
  }
  const moved = new Map(all.map((one) => [one.operation.operationId, movedErrors(one)]))
  for (const one of all) {
    dropInputs(one)
    showLess(one)
    const other = moved.get(wording.errorsOf[one.operation.operationId] ?? '') ?? []
    moveErrors(one, other)
    correctExample(one)
  }
  const tags = new Set(all.flatMap(({ operation }) => operation.tags))
  document.tags = document.tags.filter(({ name }) => tags.has(name))
  document.info.title = wording.title
  return reworded(withoutUnused(document), wording.texts)
}

/** A copy without the members, required fields and references of these names. */
function without(part: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(part)) {
    return part.filter((one) => !names.has(nameIn(one))).map((one) => without(one, names))
  }
  if (typeof part !== 'object' || part === null) return part
  const kept = Object.entries(part).filter(([name]) => !names.has(name))
  return Object.fromEntries(kept.map(([name, member]) => [name, without(member, names)]))
}

function nameIn(one: unknown): string {
  if (typeof one === 'string') return one
  const isReference = typeof one === 'object' && one !== null && '$ref' in one
  return isReference ? (String(one.$ref).split('/').at(-1) ?? '') : ''
}

/** As a release names it: `PUT locations/:identifier/`. */
function endpointOf(method: string, path: string): string {
  const below = path.split('/v1/')[1] ?? ''
  return `${method.toUpperCase()} ${below.replace(/\{(\w+)\}/g, ':$1')}`
}

function dropInputs({ document, change: { ignores = [], takes }, operation }: Located): void {
  const { parameters } = operation
  if (parameters && takes) {
    operation.parameters = parameters.filter((one) => {
      const { name, in: place } = resolved(document, one)
      return place !== 'query' || takes.includes(String(name))
    })
  }
  const schema = operation.requestBody?.content['application/json'].schema
  const { properties } = (schema ? resolved(document, schema) : {}) as { properties?: DocumentPart }
  for (const name of properties ? ignores : []) delete properties?.[name]
}

/** Leaves out the pagination and the fields of records that the release does not have. */
function showLess({ document, change: { shows, isUnpaged }, operation }: Located): void {
  const success = operation.responses['200']
  if (!success || !isResponse(success)) return
  const content = success.content['application/json']
  if (isUnpaged) {
    Object.assign(content, without(content, new Set(['pagination'])))
  }
  if (!shows) return
  const { data } = content.schema.properties as { data: { items: DocumentPart } }
  const record = resolved(document, data.items) as { properties: DocumentPart; required: string[] }
  const absent = new Set(Object.keys(record.properties).filter((name) => !shows.includes(name)))
  data.items = without(record, absent) as DocumentPart
  content.example = without(content.example, absent) as DocumentPart
}

/** Whether the part is a response itself, and no reference to one. */
function isResponse(part: DocumentPart): part is DocumentPart & Response {
  return 'content' in part
}

function responseAt(document: Document, part: DocumentPart): Response {
  const found = resolved(document, part)
  if (!isResponse(found)) throw new Error('The response of an error has no content.')
  return found
}

type Placed = [status: string, body: ErrorBody]

/** The errors of an operation, each with its status in the release. */
function errorsOf({ document, release, operation }: Located): Placed[] {
  return Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, response]) => {
      const { content } = responseAt(document, response)
      return Object.values(content['application/json'].examples ?? {}).map(({ value }): Placed => {
        const { code, reason } = value.error
        const statuses: Partial<Record<string, number>> = release.statuses
        return [String(statuses[reason ?? code] ?? status), value]
      })
    })
}

function movedErrors(one: Located): Placed[] {
  const statuses: Partial<Record<string, number>> = one.release.statuses
  return errorsOf(one).filter(([, { error }]) => (error.reason ?? error.code) in statuses)
}

/** Puts each error under the status that it has in the release. */
function moveErrors(one: Located, others: Placed[]): void {
  const { document, operation } = one
  const errors = [...unnamed(one), ...errorsOf(one), ...others]
  const byStatus = Map.groupBy(errors, ([status]) => status)
  const moved = new Set([...movedErrors(one), ...others].map(([status]) => status))
  for (const [status, response] of Object.entries(operation.responses)) {
    if (Number(status) < 400 || (response.$ref !== undefined && !moved.has(status))) continue
    const bodies = byStatus.get(status)?.map(([, body]) => body)
    const like = responseAt(document, response)
    if (bodies) operation.responses[status] = responseWith(like, bodies)
  }
  for (const status of Object.keys(operation.responses)) {
    if (Number(status) >= 400 && !byStatus.has(status)) delete operation.responses[status]
  }
}

/** The error of an identifier that no setting gives a meaning. */
function unnamed({ release: { hasPlatformIdentifiers, name }, operation }: Located): Placed[] {
  const resource = operation.tags.join().toLowerCase()
  const isNamed = JSON.stringify(operation.parameters ?? []).includes('/identifier"')
  if (hasPlatformIdentifiers || !isNamed || resource === 'inventory') return []
  const message = `In release ${name} a partner's settings must name the identifier field of ${resource}, but this key has no partner.`
  return [['400', bodyOf('SERVICE_ERROR', because('NO_IDENTIFIER_FIELD', { message }))]]
}

function responseWith(like: Response, bodies: ErrorBody[]): DocumentPart {
  const { description, ...response } = structuredClone(like)
  const content = response.content['application/json']
  content.examples = Object.fromEntries(bodies.map((value) => [value.error.code, { value }]))
  const { error } = content.schema.properties as { error: { properties: { code: DocumentPart } } }
  error.properties.code.enum = Object.keys(content.examples)
  return { ...response, description }
}

/** Replaces an example about a parameter that the release does not have. */
function correctExample({ document, operation }: Located): void {
  if (operation.requestBody) return
  // A response that other operations share has no example about a parameter of this one.
  const response = operation.responses['400']
  if (!response || !isResponse(response)) return
  const { examples = {} } = response.content['application/json']
  const { VALIDATION_ERROR: shown } = examples
  if (!shown) return
  const names = (operation.parameters ?? []).map((one) => resolved(document, one).name)
  const fields = Object.keys(shown.value.error.fields ?? {})
  if (fields.every((name) => names.includes(name))) return
  const value = bodyOf('VALIDATION_ERROR', wrong('X-Read-After', NO_BOOKMARK))
  examples.VALIDATION_ERROR = { value }
}

/** Each text that is replaced must be there: what is said of the current release may change. */
function reworded(document: object, texts: Wording['texts']): object {
  const missing = new Set(texts.map(([current]) => current))
  const reword = (text: string) =>
    texts.reduce((sofar, [current, instead]) => {
      if (!sofar.includes(current)) return sofar
      missing.delete(current)
      return sofar.replace(current, instead)
    }, text)
  const walk = (part: unknown, name = ''): unknown => {
    if (typeof part === 'string') return name === 'description' ? reword(part) : part
    if (Array.isArray(part)) return part.map((one) => walk(one))
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, walk(one, key)]))
  }
  const result = walk(document) as object
  if (missing.size > 0) throw new Error(`No description has: ${[...missing].join('; ')}`)
  return result
}

/** What a reference of the document refers to; anything else as it is. */
function resolved(document: { components: object }, part: DocumentPart): DocumentPart {
  const { $ref } = part
  if (typeof $ref !== 'string') return part
  const [kind = '', name = ''] = $ref.slice(COMPONENTS.length).split('/')
  const components = document.components as Record<string, Record<string, DocumentPart>>
  const found = components[kind]?.[name]
  if (!found) throw new Error(`There is no component ${$ref}.`)
  return resolved(document, found)
}

/** The document without the components that nothing refers to. What a request must have for its key stays. */
function withoutUnused<Document extends { components: object; paths: object }>(
  document: Document,
): Document {
  const used = new Set<string>()
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    if ('$ref' in part && typeof part.$ref === 'string' && !used.has(part.$ref)) {
      used.add(part.$ref)
      walk(resolved(document, { $ref: part.$ref }))
    }
    for (const member of Object.values(part)) walk(member)
  }
  walk(document.paths)
  const components = Object.entries(document.components).map(([kind, parts]) => {
    const isKept = (name: string) =>
      kind === 'securitySchemes' || used.has(`${COMPONENTS}${kind}/${name}`)
    return [kind, Object.fromEntries(Object.entries(parts).filter(([name]) => isKept(name)))]
  })
  return { ...document, components: Object.fromEntries(components) }
}
