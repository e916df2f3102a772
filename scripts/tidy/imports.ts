import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { filesBelow, type Violation } from './files.ts'

// By the first part of a path below src/, lowest first: a module imports its own layer or lower.
const LAYERS = [
  [
    'deadline',
    'errors',
    'gate',
    'path',
    'scopes',
    'pagination',
    'messages',
    'fields',
    'shape',
    'source',
    'warnings',
  ],
  ['mapping', 'releases'],
  ['db'],
  ['identity', 'rate-limiter'],
  ['env'],
  ['envelope', 'middleware'],
  ['resources'],
  ['settings'],
  ['dashboard', 'openapi', 'healthz'],
  ['app', 'retention'],
  ['index'],
]

// Their folders stand side by side and know nothing of each other.
const SEPARATE = ['resources', 'settings']

// Biome breaks an import so that its last line holds `from '...'`.
const IMPORTS = [
  /^(?:import|export|\})[^'"]*\bfrom ['"]([^'"]+)['"]/,
  /^import ['"]([^'"]+)['"]/,
  /\bimport\(\s*['"]([^'"]+)['"]/,
]

export function importViolations(): Violation[] {
  return filesBelow('src')
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap(violationsOf)
}

function violationsOf(path: string): Violation[] {
  if (layerOf(path) < 0) {
    const wrong = `"${partOf(path)}" has no layer: give it one in scripts/tidy/imports.ts`
    return [{ path, line: 1, wrong }]
  }
  const violations: Violation[] = []
  for (const [index, text] of readFileSync(path, 'utf8').split('\n').entries()) {
    for (const pattern of IMPORTS) {
      const imported = pattern.exec(text)?.[1]
      const wrong = imported && faultOf(path, imported)
      if (wrong) violations.push({ path, line: index + 1, wrong })
    }
  }
  return violations
}

function faultOf(path: string, imported: string): string | null {
  if (!imported.startsWith('.')) return packageFaultOf(path, imported)
  const target = posix.join(posix.dirname(path), imported)
  if (target === 'package.json') return null
  if (!target.startsWith('src/')) return `imports ${target}, which is outside src`
  if (layerOf(target) > layerOf(path)) {
    return `imports ${target}: ${partOf(path)} is below ${partOf(target)}`
  }
  const [folder, other] = [folderOf(path), folderOf(target)]
  const foreign = folder && other && folder !== other && partOf(path) === partOf(target)
  return foreign ? `imports ${target}: ${folder} and ${other} know nothing of each other` : null
}

function packageFaultOf(path: string, imported: string): string | null {
  const [name] = imported.split('/')
  if (name === 'hono' && !mayUseHono(path)) {
    return `imports ${imported}: hono belongs in envelope, middleware and above, not in queries or schemas`
  }
  if (name === 'drizzle-orm' && !mayUseDrizzle(path)) {
    return `imports ${imported}: drizzle belongs in db, identity and the queries of resources and settings`
  }
  return null
}

function mayUseHono(path: string): boolean {
  const named = ['queries.ts', 'schema.ts'].includes(posix.basename(path))
  return layerOf(path) >= layerOf('src/envelope.ts') && !named
}

function mayUseDrizzle(path: string): boolean {
  const part = partOf(path)
  if (part === 'db' || part === 'identity') return true
  return SEPARATE.includes(part) && !['routes.ts', 'schema.ts'].includes(posix.basename(path))
}

function layerOf(path: string): number {
  return LAYERS.findIndex((layer) => layer.includes(partOf(path)))
}

/** `db` of src/db/tables.ts, `env` of src/env.ts. */
function partOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/\.tsx?$/, '')
}

/** `resources/orders` of src/resources/orders/routes.ts; null where folders may know each other. */
function folderOf(path: string): string | null {
  const [, part = '', folder, file] = path.split('/')
  return SEPARATE.includes(part) && file ? `${part}/${folder}` : null
}
