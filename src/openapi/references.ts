/** An object of a document whose members are parts of it, too. */
export type DocumentPart = Record<string, unknown>

const COMPONENTS = '#/components/'

/** What a reference of the document refers to; anything else as it is. */
export function resolved(document: { components: object }, part: DocumentPart): DocumentPart {
  const { $ref } = part
  if (typeof $ref !== 'string') return part
  const [kind = '', name = ''] = $ref.slice(COMPONENTS.length).split('/')
  const components = document.components as Record<string, Record<string, DocumentPart>>
  const found = components[kind]?.[name]
  if (!found) throw new Error(`There is no component ${$ref}.`)
  return resolved(document, found)
}

/** The document without the components that nothing refers to. What a request must have for its key stays. */
export function withoutUnused<Document extends { components: object; paths: object }>(
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
