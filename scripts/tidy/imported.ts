import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { filesBelow } from './files.ts'

/** One import of a module; `import type` and `import()` are imports too. */
export interface Import {
  path: string
  line: number
  /** A path such as `src/engine/errors.ts`, or the name of a package. */
  target: string
  /** As it stands in the module. */
  named: string
}

// Biome wraps an import so that its last line holds `from '...'`.
const IMPORTS = [
  /^(?:import|export|\})[^'"]*\bfrom ['"]([^'"]+)['"]/,
  /^import ['"]([^'"]+)['"]/,
  /\bimport\(\s*['"]([^'"]+)['"]/,
]

/** The imports of every module below a folder. */
export function importsBelow(folder: string): Import[] {
  return modulesBelow(folder).flatMap(importsOf)
}

export function modulesBelow(folder: string): string[] {
  return filesBelow(folder).filter((path) => /\.tsx?$/.test(path))
}

function importsOf(path: string): Import[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.flatMap((text, index) => {
    const named = IMPORTS.flatMap((pattern) => pattern.exec(text)?.[1] ?? [])
    return named.map((name) => {
      const target = name.startsWith('.') ? posix.join(posix.dirname(path), name) : name
      return { path, line: index + 1, target, named: name }
    })
  })
}
