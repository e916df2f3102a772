import { readFileSync } from 'node:fs'
import type { Violation } from './files.ts'

const LOCK = 'package-lock.json'
const NPMRC = '.npmrc'

/** Of packages that are deployed or served. */
const LICENSES = ['0BSD', 'Apache-2.0', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT']
/** Of packages that only build and test, too: nobody gets them from us. */
const TOOL_LICENSES = ['CC0-1.0', 'LGPL-3.0-or-later', 'MPL-2.0', 'Python-2.0', 'Unlicense']
/** Packages with install scripts. None of the scripts runs (.npmrc): each of these works without its own. */
const WITH_SCRIPTS = ['esbuild', 'workerd']

/** A package as the lock file has it. */
export interface Locked {
  version?: string
  resolved?: string
  integrity?: string | undefined
  license?: string | undefined
  dev?: boolean
  link?: boolean
  hasInstallScript?: boolean
}

/** Names packages without a checksum, from outside the registry, with a licence that is on no list, or with an install script. */
export function lockViolations(): Violation[] {
  const text = readFileSync(LOCK, 'utf8')
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> }
  const lines = text.split('\n')
  const lineOf = (path: string) =>
    lines.findIndex((line) => line.startsWith(`    "${path}": {`)) + 1
  const found = Object.entries(packages).flatMap(([path, locked]) =>
    faultsOf(path, locked).map((wrong) => ({ path: LOCK, line: lineOf(path), wrong })),
  )
  return [...found, ...scriptViolations(readFileSync(NPMRC, 'utf8'))]
}

/** What is wrong with a package; nothing with this project's own. */
export function faultsOf(path: string, locked: Locked): string[] {
  if (!path.startsWith('node_modules/') || locked.link) return []
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const { integrity = '', resolved, license, dev = false, hasInstallScript } = locked
  return [
    ...(/^sha512-/.test(integrity) ? [] : [`${name} has no sha512 in integrity`]),
    // The lock file has no address of packages from the registry (.npmrc).
    ...(resolved === undefined ? [] : [`${name} comes from ${resolved}`]),
    ...(isAllowed(license, dev) ? [] : [`${name} has the licence ${license}: look at it`]),
    ...(hasInstallScript && !WITH_SCRIPTS.includes(name)
      ? [`${name} wants to run a script when it is installed`]
      : []),
  ]
}

/** Of alternatives (OR) one must be allowed, of several at once (AND) all. */
function isAllowed(license: string | undefined, isTool: boolean): boolean {
  const allowed = isTool ? [...LICENSES, ...TOOL_LICENSES] : LICENSES
  const terms = (license ?? '').replace(/[()]/g, '')
  return terms
    .split(' OR ')
    .some((all) => all.split(' AND ').every((each) => allowed.includes(each)))
}

/** npm must run no install scripts: what they fetch is not in the lock file. */
export function scriptViolations(npmrc: string): Violation[] {
  if (/^ignore-scripts=true$/m.test(npmrc)) return []
  return [{ path: NPMRC, line: 1, wrong: 'ignore-scripts=true is missing' }]
}
