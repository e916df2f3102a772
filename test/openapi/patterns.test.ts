import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { STATUS } from '../../src/engine/answers/error-body.ts'
import { REASONS } from '../../src/engine/errors.ts'
import { OPENAPI_DOCUMENTS } from '../../src/openapi/documents.ts'
import { byDepth } from '../fixtures/depth.ts'
import type { Json } from '../fixtures/tenant.ts'

// A validator in another language reads these patterns, or one that leaves out the flag u.

const patterns = [...new Set(Object.values(OPENAPI_DOCUMENTS).flatMap(patternsIn))]

function patternsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, value]) =>
    key === 'pattern' && typeof value === 'string' ? [value] : patternsIn(value),
  )
}

const unit = fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code))

/** Any text, and close to one that the pattern takes. */
function textsAt(pattern: string): fc.Arbitrary<string> {
  const taken = fc.stringMatching(new RegExp(pattern, 'u'))
  const torn = fc.tuple(taken, fc.nat(), unit).map(([text, at, more]) => {
    const place = at % (text.length + 1)
    return text.slice(0, place) + more + text.slice(place)
  })
  return fc.oneof(taken, torn, fc.string({ unit: 'binary' }), fc.string({ unit }))
}

describe.each(patterns)('the pattern %s', (pattern) => {
  it('is about the whole text, and looks neither ahead nor behind', () => {
    expect(pattern).toMatch(/^\^.*\$$/)
    expect(pattern).not.toMatch(/\(\?[=!<]/)
  })

  // Letters and digits of all scripts have no other name.
  if (!pattern.includes('\\p{')) {
    it('means the same with and without the flag u', () => {
      const [one, other] = [new RegExp(pattern, 'u'), new RegExp(pattern)]
      fc.assert(
        fc.property(textsAt(pattern), (text) => {
          expect(one.test(text)).toBe(other.test(text))
        }),
        { numRuns: byDepth(50, 500) },
      )
    })
  }
})

describe('a reference to a component', () => {
  it('has nothing of its own but a description', () => {
    expect([...new Set(Object.values(OPENAPI_DOCUMENTS).flatMap(besideReferences))]).toEqual([])
  })
})

function besideReferences(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  const own = '$ref' in part ? Object.keys(part) : []
  return [
    ...own.filter((key) => !['$ref', 'description'].includes(key)),
    ...Object.values(part).flatMap(besideReferences),
  ]
}

const NAMES = [...new Set(Object.values(REASONS).flatMap((reasons) => Object.keys(reasons)))]
const LISTED = Object.entries(REASONS).flatMap(([code, reasons]) => [
  `**\`${code}\`**`,
  ...Object.entries(reasons).map(([reason, means]) => `- \`${reason}\`: ${means}`),
])

describe('the reasons of errors', () => {
  it.each(Object.entries(OPENAPI_DOCUMENTS))('are all that %s lists', (_, document: Json) => {
    expect(document.components.schemas.ErrorReason.enum).toEqual(NAMES)
    const [, text = ''] = document.info.description.split('\n## Reasons of errors\n')
    const [section] = text.split('\n## ')
    expect(section.match(/^(\*\*`[A-Z_]+`\*\*|- `.*)$/gm)).toEqual(LISTED)
  })

  it('are behind a link of the API guide, which has every code of the API with its status', () => {
    const guide = readFileSync('docs/api-guide.md', 'utf8')
    expect(guide).toContain('/docs/#integrations/description/reasons-of-errors)')
    const rows = [...guide.matchAll(/^\| (\d{3}) \| `([A-Z_]+)` \|/gm)]
    const listed = rows.map(([, status, code = '']) => [code, Number(status)])
    const { CROSS_ORIGIN: _, ...codes } = STATUS
    expect(listed.toSorted()).toEqual(Object.entries(codes).toSorted())
  })

  it('are each expected by a test', () => {
    const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
    const tests = files
      .filter((file) => file.endsWith('.test.ts') && !file.includes('openapi'))
      .map((file) => readFileSync(`test/${file}`, 'utf8'))
    const unexpected = NAMES.filter((name) => !tests.some((text) => text.includes(`'${name}'`)))
    expect(unexpected).toEqual([])
  })
})
