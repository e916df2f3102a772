import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { SUBCOMMANDS } from '../../scripts/subcommands.ts'
import { COMMANDS } from '../../scripts/tenant/commands.ts'
import { sectionOf, tablesOf } from '../fixtures/markdown.ts'

const NPM = / \((npm [\w: ]+)\)/
const CODE = /`([^`]+)`/g

/** How each command begins, and how it goes on. */
function commands(): string[] {
  return Object.entries(SUBCOMMANDS).flatMap(([name, { summary }]) => {
    if (name === 'tenant') {
      return Object.entries(COMMANDS).map(([command, { parameters }]) =>
        `npm run tenant -- ${command} ${parameters}`.trim(),
      )
    }
    const [, npm = `node scripts/crossdock.ts ${name}`] = NPM.exec(summary) ?? []
    return [npm]
  })
}

describe('docs/operations.md', () => {
  it('names each command with its parameters, and no other', async () => {
    const [table] = tablesOf(sectionOf(await readFile('docs/operations.md', 'utf8'), 'Commands'))
    const named = [...(table ?? [])].flatMap(([begin, { Then = '' }]) =>
      Array.from(Then.matchAll(CODE), ([, rest]) => `${begin.replaceAll('`', '')} ${rest}`),
    )
    expect(named.toSorted()).toEqual(commands().toSorted())
  })

  it('names every rule of examples/alerts/ by a file that is there', async () => {
    const text = await readFile('docs/operations.md', 'utf8')
    for (const [, name = ''] of text.matchAll(/`(\w+-[\w-]+\.sql)`/g)) {
      expect(await readFile(`examples/alerts/${name}`, 'utf8')).toContain('SELECT')
    }
  })
})
