import { filesBelow, type Violation } from './files.ts'

const EMPTY_NAMES = ['utils', 'helpers', 'common']

/** A name that could hold anything says nothing: name a module after what it does. */
export function nameViolations(): Violation[] {
  return ['src', 'test', 'scripts', 'browser'].flatMap(filesBelow).flatMap((path) => {
    const empty = path.split('/').find((part) => EMPTY_NAMES.includes(part.split('.')[0] ?? ''))
    return empty ? [{ path, line: 1, wrong: `"${empty}" says nothing: name what it does` }] : []
  })
}
