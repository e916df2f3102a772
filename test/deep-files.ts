import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { draw } from './draw.ts'

const IMPORT = /\bfrom ['"](\.[^'"]+)['"]/g

// Each file of test/tenants starts wrangler many times.
const SHARE = 1 / 2
const SHARE_OF_TENANTS = 1 / 4

// Random sequences of all endpoints, of which vitest.config.ts says how many; and most of the operator's commands.
const ALWAYS = ['test/faults/random.test.ts', 'test/tenants/operators-path.deep.test.ts']

/** The test files in which a deep pass does more than the quick one, and all test files. */
export function testFiles(): { all: string[]; deep: string[] } {
  const all = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((file) => posix.join('test', file))
    .filter((file) => /\.test\.tsx?$/.test(file))
    .toSorted()
  return { all, deep: all.filter((file) => ALWAYS.includes(file) || isDeep(file)) }
}

/** Those of the deep files that the seed draws for one pass. */
export function drawFiles(deep: string[], seed: number): string[] {
  const tenants = deep.filter(isOfTenants)
  const others = deep.filter((file) => !isOfTenants(file))
  const drawn = new Set([
    ...ALWAYS,
    ...draw(tenants, Math.ceil(tenants.length * SHARE_OF_TENANTS), seed),
    ...draw(others, Math.ceil(others.length * SHARE), seed),
  ])
  return deep.filter((file) => drawn.has(file))
}

const isOfTenants = (file: string) => file.startsWith('test/tenants/')

/** Whether the file is for the deep pass alone, or reads test/depth.ts, itself or through what it imports. */
function isDeep(file: string): boolean {
  return file.includes('.deep.test.') || readsDepth(file, new Set())
}

function readsDepth(file: string, seen: Set<string>): boolean {
  if (file === 'test/depth.ts') return true
  if (seen.has(file) || !file.startsWith('test/')) return false
  seen.add(file)
  const imported = [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, path]) => path ?? '')
  return imported
    .map((path) => posix.join(posix.dirname(file), path))
    .some((path) => /\.tsx?$/.test(path) && readsDepth(path, seen))
}
