import { WAIT_SECONDS_DEFAULT } from './answers.ts'
import type { Command, Options } from './command.ts'
import { COMMANDS } from './commands.ts'
import { CONFIG } from './config-file.ts'

/** The values of D1's placement options. */
export const CHOICES = {
  jurisdiction: ['eu', 'fedramp', 'us'],
  location: ['weur', 'eeur', 'apac', 'oc', 'wnam', 'enam'],
}

const OPTIONS: Record<keyof Options, [syntax: string, meaning: string]> = {
  all: ['--all', 'every tenant of the environment'],
  confirm: ['--confirm <slug>', 'confirm with the slug instead of a prompt'],
  'dry-run': ['--dry-run', 'print what would be done and change nothing'],
  export: ['--export <file>', 'the file to export to; default <slug>-<time>.sql'],
  from: [
    '--from <folder or file>',
    'replace all data by that of a backup or an export; with --r2 a folder of the bucket',
  ],
  into: [
    '--into <folder>',
    'where the files go; default a new folder. Name the same one to complete an interrupted run',
  ],
  jurisdiction: [
    `--jurisdiction <${CHOICES.jurisdiction.join('|')}>`,
    'keep the database within this jurisdiction',
  ],
  location: [`--location <${CHOICES.location.join('|')}>`, 'put the database near this location'],
  'no-export': [
    '--no-export',
    'go on without an export, for example of a database too large for one',
  ],
  on: ['--on', 'switch the integration on again, after a restore that left it off'],
  r2: ['--r2', "in the environment's bucket, below _backups/, instead of this machine"],
  to: ['--to <time>', 'set the database back to the time, such as 2026-11-21T10:30:00Z'],
  wait: [
    '--wait <seconds>',
    `how long to wait for the tenant's first answer; default ${WAIT_SECONDS_DEFAULT}`,
  ],
  name: ['--name <name>', 'name of the workspace; default the slug'],
}
const ALWAYS = [
  ['--env <name>', `an environment of ${CONFIG}; default: this machine`],
  ['--json', 'print the result as one JSON object, on the last line of stdout'],
  ['--help', 'show this help'],
]

export function usage(): string {
  const commands = Object.entries(COMMANDS).map(([name, { parameters, summary }]) => [
    `${name} ${parameters}`,
    summary,
  ])
  return [
    'Usage: npm run tenant -- <command> [options]',
    '',
    'Adds, lists, moves, backs up, restores and removes tenants, on this machine or, with --env, at Cloudflare.',
    '',
    ...table(commands),
    '',
    ...table(ALWAYS),
    '',
    'Exit codes: 0 done; 1 failed: fix the cause and run it again; 2 wrong arguments: nothing was done.',
    '`npm run tenant -- <command> --help` shows the options of a command.',
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
