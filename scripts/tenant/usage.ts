import { WAIT_SECONDS_DEFAULT } from './answers.ts'
import type { Command, Options } from './command.ts'
import { COMMANDS } from './commands.ts'

/** D1's, as wrangler takes them. */
export const CHOICES = {
  jurisdiction: ['eu', 'fedramp', 'us'],
  location: ['weur', 'eeur', 'apac', 'oc', 'wnam', 'enam'],
}

const OPTIONS: Record<keyof Options, [syntax: string, meaning: string]> = {
  all: ['--all', 'every tenant of the environment'],
  confirm: ['--confirm <slug>', 'the slug once more, instead of being asked for it'],
  'dry-run': ['--dry-run', 'say what would be done, and change nothing'],
  export: ['--export <file>', 'where the export goes; default <slug>-<time>.sql'],
  jurisdiction: [
    `--jurisdiction <${CHOICES.jurisdiction.join('|')}>`,
    'keep the database within it',
  ],
  location: [`--location <${CHOICES.location.join('|')}>`, 'put the database near it'],
  'no-export': ['--no-export', 'delete without one, such as what is too large for it'],
  wait: ['--wait <seconds>', `for the tenant's first answer; default ${WAIT_SECONDS_DEFAULT}`],
  name: ['--name <name>', 'of the workspace; default the slug'],
}
const ALWAYS = [
  ['--env <name>', 'an environment of wrangler.toml; without it this machine'],
  ['--json', 'the result as one JSON object, the last line of stdout'],
  ['--help', 'this'],
]

export function usage(): string {
  const commands = Object.entries(COMMANDS).map(([name, { parameters, summary }]) => [
    `${name} ${parameters}`,
    summary,
  ])
  return [
    'Usage: npm run tenant -- <command> [options]',
    '',
    'Adds, shows, moves and removes tenants, on this machine or with --env at Cloudflare.',
    '',
    ...table(commands),
    '',
    ...table(ALWAYS),
    '',
    'Exit codes: 0 done; 1 failed, run it again once the cause is mended; 2 asked for wrongly,',
    'nothing was done. `npm run tenant -- <command> --help` has more of one.',
  ].join('\n')
}

export function usageOf(name: string, { parameters, summary, options }: Command): string {
  return [
    `Usage: npm run tenant -- ${`${name} ${parameters}`.trim()} [options]`,
    '',
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    '',
    ...table([...options.map((option) => OPTIONS[option]), ...ALWAYS]),
  ].join('\n')
}

function table(rows: string[][]): string[] {
  const width = Math.max(...rows.map(([left = '']) => left.length))
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`)
}
