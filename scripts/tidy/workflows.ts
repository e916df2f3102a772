import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Violation } from './files.ts'

const FOLDERS = ['.github/workflows', 'examples/workflows']
const PINNED = /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/
const STEP = /^ {6}- /
/** Steps that may have a secret: they run our own commands. Installing and testing needs none. */
const WITH_SECRETS = /^npm run (alerts|deploy|smoke|tenant) -- /

/** Actions that somebody else could change, and secrets where others could read them. */
export function workflowViolations(): Violation[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name)
      return faultsIn(path, readFileSync(path, 'utf8'))
    }),
  )
}

export function faultsIn(path: string, text: string): Violation[] {
  const lines = text.split('\n')
  const at = (index: number, wrong: string) => ({ path, line: index + 1, wrong })
  const unpinned = lines.flatMap((line, index) => {
    const [, action = ''] = /^\s+(?:- )?uses: (.+)$/.exec(line) ?? []
    const isFine = action === '' || action.startsWith('./') || PINNED.test(action)
    return isFine ? [] : [at(index, `${action} is not pinned: the commit, and "# v1.2.3"`)]
  })
  const open = /^permissions:\n {2}contents: read\n/m.test(text)
    ? []
    : [at(0, 'permissions must be contents: read')]
  const told = lines.flatMap((line, index) =>
    /\bsecrets[.[]/.test(line) && !line.trimStart().startsWith('#')
      ? secretFault(lines, index).map((wrong) => at(index, wrong))
      : [],
  )
  return [...unpinned, ...open, ...told]
}

/** A secret is in the `env` of a step that runs a command of ours. */
function secretFault(lines: string[], index: number): string[] {
  const start = lines.findLastIndex((line, each) => each <= index && STEP.test(line))
  const jobOrFile = lines.findLastIndex((line, each) => each <= index && /^ {0,4}\S/.test(line))
  if (start < jobOrFile) return ['a secret of a whole job: give it to the steps that need it']
  const next = lines.findIndex(
    (line, each) => each > start && (STEP.test(line) || /^ {0,4}\S/.test(line)),
  )
  const step = lines.slice(start, next < 0 ? undefined : next)
  const [, command = ''] = /^\s+(?:- )?run: (.+)$/m.exec(step.join('\n')) ?? []
  if (!WITH_SECRETS.test(command)) return ['a secret in a step that needs none']
  return /^ {10}\w+: \$\{\{ secrets\.\w+ \}\}$/.test(lines[index] ?? '')
    ? []
    : ['a secret that is not in env']
}
