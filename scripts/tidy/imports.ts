import { posix } from 'node:path'
import type { Violation } from './files.ts'
import { importsBelow, modulesBelow } from './imported.ts'

// The rooms of src/, lowest layer first. A module imports from its own layer or a lower one. No circle joins rooms
// (circles.ts).
const LAYERS = [
  ['engine/errors', 'engine/json', 'engine/limits'],
  ['engine/formats', 'engine/model', 'engine/mapping', 'engine/redaction', 'engine/webhooks'],
  ['engine/db'],
  ['engine/identifiers', 'engine/identity', 'engine/metrics'],
  ['engine/cron', 'engine/log', 'engine/releases'],
  ['engine/env'],
  ['engine/exchange', 'engine/body', 'engine/answers'],
  ['middleware'],
  ['records'],
  ['settings', 'requests', 'deliveries'],
  ['api', 'router'],
  ['dashboard', 'openapi', 'dashboard/browser'],
  ['app', 'index'],
]

// A folder of these does not import from its sibling folders.
const SEPARATE = ['records', 'settings', 'requests']

// Browser code is not part of the Worker. It shares the parser of paths only.
const BROWSER = 'dashboard/browser'
const OF_BROWSER = [BROWSER, 'engine/json']

// The router is a Worker of its own, and thin: it shares errors, keys and hosts with the app, and nothing else.
const OF_ROUTER = ['router', 'engine/errors', 'engine/identity', 'engine/limits', 'engine/answers']

const WITH_DRIZZLE = ['engine/db', 'engine/identity', 'engine/log', 'engine/identifiers']

export function importViolations(): Violation[] {
  return [
    ...modulesBelow('src').flatMap(roomFaultOf),
    ...importsBelow('src').flatMap(({ path, line, target, named }) => {
      const wrong = named.startsWith('.') ? faultOf(path, target) : packageFaultOf(path, named)
      return wrong ? [{ path, line, wrong }] : []
    }),
  ]
}

function roomFaultOf(path: string): Violation[] {
  if (layerOf(path) >= 0) return []
  const wrong = `"${roomOf(path)}" has no layer: add it to LAYERS in scripts/tidy/imports.ts`
  return [{ path, line: 1, wrong }]
}

function faultOf(path: string, target: string): string | null {
  if (target === 'package.json') return null
  if (!target.startsWith('src/')) return `imports ${target}, which is outside src`
  if (layerOf(target) > layerOf(path)) {
    return `imports ${target}: ${roomOf(path)} is a lower layer than ${roomOf(target)}`
  }
  if (roomOf(path) === BROWSER && !OF_BROWSER.includes(roomOf(target))) {
    return `imports ${target}: browser code imports only from src/${OF_BROWSER.join(' and src/')}`
  }
  if (roomOf(target) === BROWSER && roomOf(path) !== BROWSER) {
    return `imports ${target}: browser code is not part of the Worker`
  }
  if (roomOf(path) === 'router' && !OF_ROUTER.includes(roomOf(target))) {
    return `imports ${target}: the router imports only from ${OF_ROUTER.map((part) => `src/${part}`).join(', ')}`
  }
  const [folder, other] = [folderOf(path), folderOf(target)]
  const foreign = folder && other && folder !== other && roomOf(path) === roomOf(target)
  return foreign ? `imports ${target}: ${folder} must not import from ${other}` : null
}

function packageFaultOf(path: string, imported: string): string | null {
  const [name] = imported.split('/')
  if (name === 'hono' && !mayUseHono(path)) {
    return `imports ${imported}: use hono only in exchange, body, answers, middleware and higher layers, never in queries.ts or schema.ts or in browser code`
  }
  if (name === 'drizzle-orm' && !mayUseDrizzle(path)) {
    return `imports ${imported}: use drizzle only in engine/db, identity, log, identifiers and the queries of records, settings and requests`
  }
  return null
}

function mayUseHono(path: string): boolean {
  const named = ['queries.ts', 'schema.ts'].includes(posix.basename(path))
  const isHigh = layerOf(path) >= layerOf('src/engine/exchange/acting.ts')
  return isHigh && roomOf(path) !== BROWSER && !named
}

function mayUseDrizzle(path: string): boolean {
  const room = roomOf(path)
  if (WITH_DRIZZLE.includes(room)) return true
  return SEPARATE.includes(room) && !['routes.ts', 'schema.ts'].includes(posix.basename(path))
}

function layerOf(path: string): number {
  return LAYERS.findIndex((layer) => layer.includes(roomOf(path)))
}

/** `engine/db` for src/engine/db/tables.ts, `records` for src/records/orders/routes.ts, `app` for src/app.ts. */
function roomOf(path: string): string {
  const [, first = '', second = ''] = path.replace(/\.tsx?$/, '').split('/')
  const isOwnRoom = first === 'engine' || `${first}/${second}` === BROWSER
  return isOwnRoom ? `${first}/${second}` : first
}

/** `records/orders` for src/records/orders/routes.ts; null where folders may import from each other. */
function folderOf(path: string): string | null {
  const [, part = '', folder, file] = path.split('/')
  return SEPARATE.includes(part) && file ? `${part}/${folder}` : null
}
