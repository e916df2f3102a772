import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { filesBelow, type Violation } from './files.ts'

// The first part of a path below src/, lowest layer first. A module imports from its own layer or a lower one.
const LAYERS = [
  ['errors', 'document', 'limits'],
  ['model'],
  ['mapping', 'documents'],
  ['db'],
  ['identifiers', 'identity', 'metrics'],
  ['audit', 'releases'],
  ['env'],
  ['answers', 'middleware'],
  ['resources'],
  ['settings'],
  ['api'],
  ['dashboard', 'openapi', 'api-documents', 'healthz'],
  ['app'],
  ['index'],
  ['router'],
  ['browser'],
]

// A folder of these does not import from its sibling folders.
const SEPARATE = ['resources', 'settings']

// Browser code is not part of the Worker. It shares the parser of paths only.
const OF_BROWSER = ['browser', 'document']

// The router is a Worker of its own, and thin: it shares errors, keys and hosts with the app, and nothing else.
const OF_ROUTER = ['router', 'errors', 'identity', 'limits', 'answers']

// Biome wraps an import so that its last line holds `from '...'`.
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
    const wrong = `"${partOf(path)}" has no layer: add it to LAYERS in scripts/tidy/imports.ts`
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
    return `imports ${target}: ${partOf(path)} is a lower layer than ${partOf(target)}`
  }
  if (partOf(path) === 'browser' && !OF_BROWSER.includes(partOf(target))) {
    return `imports ${target}: browser code imports only from src/${OF_BROWSER.join(' and src/')}`
  }
  if (partOf(path) === 'router' && !OF_ROUTER.includes(partOf(target))) {
    return `imports ${target}: the router imports only from ${OF_ROUTER.map((part) => `src/${part}`).join(', ')}`
  }
  const [folder, other] = [folderOf(path), folderOf(target)]
  const foreign = folder && other && folder !== other && partOf(path) === partOf(target)
  return foreign ? `imports ${target}: ${folder} must not import from ${other}` : null
}

function packageFaultOf(path: string, imported: string): string | null {
  const [name] = imported.split('/')
  if (name === 'hono' && !mayUseHono(path)) {
    return `imports ${imported}: use hono only in answers, middleware and higher layers, never in queries.ts or schema.ts or in browser code`
  }
  if (name === 'drizzle-orm' && !mayUseDrizzle(path)) {
    return `imports ${imported}: use drizzle only in db, identity, audit, identifiers and the queries of resources and settings`
  }
  return null
}

function mayUseHono(path: string): boolean {
  const named = ['queries.ts', 'schema.ts'].includes(posix.basename(path))
  const isHigh = layerOf(path) >= layerOf('src/answers/envelope.ts')
  return isHigh && partOf(path) !== 'browser' && !named
}

function mayUseDrizzle(path: string): boolean {
  const part = partOf(path)
  if (['db', 'identity', 'audit', 'identifiers'].includes(part)) return true
  return SEPARATE.includes(part) && !['routes.ts', 'schema.ts'].includes(posix.basename(path))
}

function layerOf(path: string): number {
  return LAYERS.findIndex((layer) => layer.includes(partOf(path)))
}

/** `db` for src/db/tables.ts, `env` for src/env.ts. */
function partOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/\.tsx?$/, '')
}

/** `resources/orders` for src/resources/orders/routes.ts; null where folders may import from each other. */
function folderOf(path: string): string | null {
  const [, part = '', folder, file] = path.split('/')
  return SEPARATE.includes(part) && file ? `${part}/${folder}` : null
}
