import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { REASONS } from '../../src/engine/errors.ts'
import { OPENAPI_DOCUMENTS } from '../../src/openapi/documents.ts'
import type { Json } from '../fixtures/tenant.ts'

const ROWS = Object.entries(REASONS).flatMap(([code, reasons]) =>
  Object.entries(reasons).map(([reason, means]) => ({ code, reason, means })),
)
const NAMES = [...new Set(ROWS.map(({ reason }) => reason))]

describe('the reasons of errors', () => {
  it.each(Object.entries(OPENAPI_DOCUMENTS))('are all that %s lists', (_, document: Json) => {
    expect(document.components.schemas.ErrorReason.enum).toEqual(NAMES)
    for (const { reason, means } of ROWS) {
      expect(document.info.description).toContain(`- \`${reason}\`: ${means}`)
    }
  })

  it('are all that the API guide lists', () => {
    const listed = readFileSync('docs/api-guide.md', 'utf8').match(
      /^\| `[A-Z_]+` \| `[A-Z_]+` \|.*$/gm,
    )
    expect(listed).toEqual(
      ROWS.map(({ code, reason, means }) => `| \`${code}\` | \`${reason}\` | ${means} |`),
    )
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
