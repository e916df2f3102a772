import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { STATUS } from '../../src/engine/answers/error-body.ts'
import { REASONS } from '../../src/engine/errors.ts'
import { OPENAPI_DOCUMENTS } from '../../src/openapi/documents.ts'
import type { Json } from '../fixtures/tenant.ts'

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
