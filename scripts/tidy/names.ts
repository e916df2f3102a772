import { filesBelow, type Violation } from './files.ts'

const EMPTY_NAMES = ['utils', 'helpers', 'common']

/** Files and folders with a name that could hold anything. */
export function nameViolations(): Violation[] {
  return ['src', 'test', 'scripts'].flatMap(filesBelow).flatMap((path) => {
    const empty = path.split('/').find((part) => EMPTY_NAMES.includes(part.split('.')[0] ?? ''))
    return empty
      ? [{ path, line: 1, wrong: `"${empty}" says nothing: name it after what it does` }]
      : []
  })
}
