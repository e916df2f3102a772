import { ROUTER_CONFIG } from './config-file.ts'
import { NAMESPACE_BINDING, TENANTS_MAX } from './environment.ts'

const ROUTES = /^\s*routes?\s*=/
// Of the first group alone.
const OWN = /^\s*(?:routes?|name)\s*=/
const LIMIT = new RegExp(`^\\s*${TENANTS_MAX}\\s*=`)
const ID = /^\s*id\s*=/
const OF_CACHE = new RegExp(`^\\s*binding\\s*=\\s*["']${NAMESPACE_BINDING}["']`)

interface Section {
  header: string
  lines: string[]
}

/** The sections of the file that belong to the environment. */
function sectionsOf(text: string, env: string): Section[] {
  const sections: Section[] = []
  for (const line of text.split('\n')) {
    if (/^\[/.test(line)) sections.push({ header: line, lines: [] })
    else sections.at(-1)?.lines.push(line)
  }
  const isOf = (header: string) =>
    [`[env.${env}]`, `[env.${env}.`, `[[env.${env}.`].some((start) => header.startsWith(start))
  return sections.filter(({ header }) => isOf(header))
}

/** The environment's blocks for another one of that name, without comments and what groups do not have in common. */
export function copiedBlocks(text: string, first: string, name: string): string {
  const blocks = sectionsOf(text, first)
    .filter(({ header }) => !header.includes('.d1_databases]'))
    .map(({ header, lines }) => {
      const body = inCommon(lines, header, first).filter(
        (line) => line.trim() !== '' && !line.trim().startsWith('#'),
      )
      return [header.replace(`env.${first}`, `env.${name}`), ...body].join('\n')
    })
  const about = `# A group of the tenants of ${first}, with a Worker of its own (docs/operations.md, "Groups of tenants").`
  return [about, blocks.join('\n\n')].join('\n')
}

/** As `inCommon` of config-groups.ts. */
function inCommon(lines: string[], header: string, first: string): string[] {
  if (header === `[env.${first}]`) return withoutEntry(lines, OWN, true)
  if (header === `[env.${first}.vars]`) return withoutEntry(lines, LIMIT, true)
  const isCache =
    header === `[[env.${first}.kv_namespaces]]` && lines.some((line) => OF_CACHE.test(line))
  return withoutEntry(lines, ID, isCache)
}

/** The lines without the entry, which may take several of them; all lines if `isHere` is false. */
function withoutEntry(lines: string[], entry: RegExp, isHere: boolean): string[] {
  const start = isHere ? lines.findIndex((line) => entry.test(line)) : -1
  if (start < 0) return lines
  const isOpen = /=\s*\[\s*(?:#.*)?$/.test(lines[start] ?? '')
  const end = isOpen ? lines.findIndex((line, at) => at > start && /^\s*\]/.test(line)) : start
  return withoutEntry(lines.toSpliced(start, Math.max(0, end - start) + 1), entry, true)
}

/** The file without the environment's routes. */
export function withoutRoutes(text: string, env: string): string {
  const lines = text.split('\n')
  const start = lines.indexOf(`[env.${env}]`) + 1
  const next = lines.findIndex((line, at) => at >= start && /^\[/.test(line))
  const end = next < 0 ? lines.length : next
  const kept = withoutEntry(lines.slice(start, end), ROUTES, true)
  const where = `# ${ROUTER_CONFIG} has the routes.`
  return [...lines.slice(0, start), where, ...kept, ...lines.slice(end)].join('\n')
}
