import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { filesBelow, type Violation } from './files.ts'

const ROOT = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'bench/README.md']
const CODE = ['src', 'test', 'scripts', 'bench', 'faults', 'browser', 'migrations']
const PROMISES = 'docs/ARCHITECTURE.md'

const LINK = /\]\(([^)\s]+)\)/g
// In backticks; one with a placeholder or a pattern in it names no single file.
const FILE = new RegExp(`\`((?:${CODE.join('|')}|docs|examples)/[\\w./-]*)\``, 'g')
const CITED_DOCUMENT = /\b(docs\/[\w-]+\.md)\b/g
const CITED_PROMISE = /\bP(\d+)\b(?=.*\(docs\/ARCHITECTURE\.md)/g

/** Links and paths in the documents that lead nowhere, and what code cites that is not there. */
export function documentViolations(): Violation[] {
  const documents = [...ROOT, ...filesBelow('docs').filter((path) => path.endsWith('.md'))]
  const code = CODE.flatMap(filesBelow).filter((path) => /\.(tsx?|sql|css)$/.test(path))
  return [
    ...documents.flatMap((path) => faultsIn(path, LINK, (link) => linkFault(path, link))),
    ...documents.flatMap((path) => faultsIn(path, FILE, fileFault)),
    ...code.flatMap((path) => faultsIn(path, CITED_DOCUMENT, fileFault)),
    ...code.flatMap((path) => faultsIn(path, CITED_PROMISE, promiseFault)),
  ]
}

function faultsIn(
  path: string,
  pattern: RegExp,
  faultOf: (found: string) => string | null,
): Violation[] {
  return linesOf(path).flatMap((text, index) =>
    [...text.matchAll(pattern)].flatMap(([, found = '']) => {
      const wrong = faultOf(found)
      return wrong ? [{ path, line: index + 1, wrong }] : []
    }),
  )
}

function linkFault(path: string, link: string): string | null {
  if (/^[a-z]+:/.test(link)) return null
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? path : posix.join(posix.dirname(path), file)
  if (!existsSync(target)) return `links to ${target}, which is not there`
  if (anchor === undefined || anchorsOf(target).includes(anchor)) return null
  return `links to #${anchor}, which is no heading of ${target}`
}

function fileFault(file: string): string | null {
  return existsSync(file) ? null : `names ${file}, which is not there`
}

function promiseFault(number: string): string | null {
  const isThere = linesOf(PROMISES).some((text) => text.startsWith(`| **P${number}** |`))
  return isThere ? null : `cites P${number}, which ${PROMISES} does not have`
}

/** Of a document's headings, as GitHub makes them. */
function anchorsOf(path: string): string[] {
  const headings = linesOf(path).filter((text) => /^#+ /.test(text))
  return headings.map((text) =>
    text
      .replace(/^#+ /, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n')
}
