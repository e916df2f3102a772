import { posix } from 'node:path'
import type { Violation } from './files.ts'
import { type Import, importsBelow } from './imported.ts'

const FOLDERS = ['src', 'scripts', 'test', 'bench']

// The folders of these are rooms. Elsewhere those of src, scripts and test are.
const DIVIDED = ['src/engine', 'src/dashboard', 'scripts/tenant']

/** Circles of imports in the repository. */
export function circleViolations(): Violation[] {
  return circlesAmong(FOLDERS.flatMap(importsBelow))
}

/** The arrows of one circle of files, or else of one circle of rooms. `import type` is an arrow too. */
export function circlesAmong(imports: Import[]): Violation[] {
  const ofFiles = circlesOf(imports, (path) => path)
  return ofFiles.length > 0 ? ofFiles : circlesOf(imports, roomOf)
}

function circlesOf(imports: Import[], placeOf: (path: string) => string): Violation[] {
  const arrows = imports.filter(({ path, target }) => placeOf(path) !== placeOf(target))
  const left = withoutEnds(arrows, placeOf)
  const [first] = left
  if (!first) return []
  const way: Import[] = []
  let at = first
  // Each place that is left imports another that is left, so the walk comes back to a place that it knows.
  while (!way.some(({ path }) => placeOf(path) === placeOf(at.path))) {
    way.push(at)
    at = left.find(({ path }) => placeOf(path) === placeOf(at.target)) ?? first
  }
  const circle = way.slice(way.findIndex(({ path }) => placeOf(path) === placeOf(at.path)))
  return circle.map(({ path, line, target }) => {
    const wrong = `imports ${target}: this closes a circle of ${circle.length}, ${circle.map((step) => placeOf(step.path)).join(' -> ')}`
    return { path, line, wrong }
  })
}

/** The arrows without those of places that import nothing that is left, or that nothing left imports. */
function withoutEnds(arrows: Import[], placeOf: (path: string) => string): Import[] {
  const from = new Set(arrows.map(({ path }) => placeOf(path)))
  const to = new Set(arrows.map(({ target }) => placeOf(target)))
  const left = arrows.filter(
    ({ path, target }) => from.has(placeOf(target)) && to.has(placeOf(path)),
  )
  return left.length === arrows.length ? left : withoutEnds(left, placeOf)
}

/** `src/engine/db` for src/engine/db/tables.ts; a module that stands beside rooms is a room itself, as src/app.ts. */
function roomOf(path: string): string {
  const folders = posix.dirname(path).split('/')
  const isDivided = DIVIDED.includes(folders.slice(0, 2).join('/'))
  const depth = isDivided ? 3 : 2
  return folders.length < depth ? path : folders.slice(0, depth).join('/')
}
