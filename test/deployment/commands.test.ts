import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { SUBCOMMANDS } from '../../scripts/subcommands.ts'
import { COMMANDS } from '../../scripts/tenant/commands.ts'
import { sectionOf } from '../fixtures/markdown.ts'

const NPM = / \((npm [\w: ]+)\)/

/** The table of all commands, as the commands describe themselves. */
function commandTable(): string {
  const rows = Object.entries(SUBCOMMANDS).flatMap(([name, { summary }]) => {
    if (name === 'tenant') return Object.entries(COMMANDS).map(tenantRow)
    const [, npm = `node scripts/crossdock.ts ${name}`] = NPM.exec(summary) ?? []
    return [`| \`${npm}\` | ${summary.replace(new RegExp(NPM, 'g'), '')} |`]
  })
  return ['| Command | Does |', '|---|---|', ...rows].join('\n')
}

function tenantRow([name, { parameters, summary }]: [string, (typeof COMMANDS)[string]]): string {
  return `| \`npm run tenant -- ${`${name} ${parameters}`.trim()}\` | ${summary} |`
}

describe('docs/operations.md', () => {
  it('has the table of all commands; paste the one that is expected here', async () => {
    const section = sectionOf(await readFile('docs/operations.md', 'utf8'), 'Commands')
    const [table] = section.match(/(?:^\|.*\|\n)+/gm) ?? []
    expect(table?.trimEnd()).toBe(commandTable())
  })

  it('names every rule of examples/alerts/ by a file that is there', async () => {
    const text = await readFile('docs/operations.md', 'utf8')
    for (const [, name = ''] of text.matchAll(/`(\w+-[\w-]+\.sql)`/g)) {
      expect(await readFile(`examples/alerts/${name}`, 'utf8')).toContain('SELECT')
    }
  })
})
