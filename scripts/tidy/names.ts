import { readFileSync } from 'node:fs'
import { filesBelow, type Violation } from './files.ts'

const EMPTY_NAMES = ['utils', 'helpers', 'common']

const EXPORT =
  /^export (?:async )?(?:function\*?|const|class|interface|type|enum) (?<name>[\w$]+)/gm

export interface SourceFile {
  path: string
  text: string
}

/** Files and folders with a name that could hold anything, and exported names of src that two files have. */
export function nameViolations(): Violation[] {
  const sources = filesBelow('src').filter((path) => /\.tsx?$/.test(path))
  return [
    ...['src', 'test', 'scripts'].flatMap(filesBelow).flatMap(emptyName),
    ...sharedNames(sources.map((path) => ({ path, text: readFileSync(path, 'utf8') }))),
  ]
}

function emptyName(path: string): Violation[] {
  const empty = path.split('/').find((part) => EMPTY_NAMES.includes(part.split('.')[0] ?? ''))
  return empty
    ? [{ path, line: 1, wrong: `"${empty}" says nothing: name it after what it does` }]
    : []
}

/** Exports with the name of another file's. A schema and the type of its values share one, in one file. */
export function sharedNames(files: SourceFile[]): Violation[] {
  const homes = new Map<string, string>()
  return files.flatMap(({ path, text }) =>
    Array.from(text.matchAll(EXPORT)).flatMap(({ index, groups }) => {
      const name = groups?.name ?? ''
      const home = homes.get(name) ?? path
      homes.set(name, home)
      const line = text.slice(0, index).split('\n').length
      return home === path ? [] : [{ path, line, wrong: `exports ${name}, as ${home} does` }]
    }),
  )
}
