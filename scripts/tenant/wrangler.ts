import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { Failure } from '../failure.ts'
import { exitOf, startTool } from '../tool.ts'
import { CONFIG_OPTION } from './config-file.ts'

// Wrangler asks nothing, prints no colours, reports nothing and writes no log, which would hold customers' rows.
const ENV = {
  CI: '1',
  NO_COLOR: '1',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_LOG: 'log',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_WRITE_LOGS: 'false',
}
const LINES_SHOWN_MAX = 20
const BUSY = /SQLITE_BUSY/
const BUSY_RETRIES_MAX = 5
const BUSY_PAUSE_MS = 500
const SIGNED_OUT =
  /CLOUDFLARE_API_TOKEN|not (?:authenticated|logged in)|wrangler login|code: (?:10000|10001|9109|9106)\b/i
const BUG_REPORT = /If you think this is a bug[\s\S]*/
const SIGN_IN =
  'Sign in first: npx wrangler login, or set CLOUDFLARE_API_TOKEN (docs/operations.md lists its permissions).'

/**
 * Runs wrangler and returns its stdout. Throws a Failure with wrangler's own reason. Tries again while another
 * program, such as a restarting server, locks the local state: then wrangler did nothing. `input` is what it reads on
 * stdin, such as a secret, which no argument may contain: every process of the machine can read those.
 */
export async function runWrangler(args: string[], input?: string): Promise<string> {
  for (let left = BUSY_RETRIES_MAX; ; left--) {
    const { code, stdout, stderr } = await runOnce(args, input)
    if (code === 0) return stdout
    const reason = reasonOf(stripVTControlCharacters(stdout), stripVTControlCharacters(stderr))
    if (left === 0 || !BUSY.test(reason)) {
      const advice = SIGNED_OUT.test(reason) ? `\n${SIGN_IN}` : ''
      throw new Failure(`${nameOf(args)}: ${reason}${advice}`)
    }
    await sleep(BUSY_PAUSE_MS)
  }
}

async function runOnce(args: string[], input: string | undefined) {
  const config = args.includes('--config') ? [] : CONFIG_OPTION
  const child = startTool('wrangler', [...args, ...config], {
    env: ENV,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.end(input)
  const [code, stdout, stderr] = await Promise.all([
    exitOf('wrangler', child),
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
  ])
  return { code, stdout, stderr }
}

/** Runs wrangler with --json and returns the parsed output. */
export async function runWranglerJson(args: string[]): Promise<unknown> {
  const stdout = await runWrangler([...args, '--json'])
  try {
    return JSON.parse(stdout.slice(stdout.search(/^[[{]/m)))
  } catch {
    throw new Failure(`${nameOf(args)} printed no JSON: ${stdout}`)
  }
}

/** The command without its arguments, such as `wrangler d1 migrations apply`. */
function nameOf(args: string[]): string {
  const words = args.slice(0, args[1] === 'migrations' ? 3 : 2)
  return ['wrangler', ...words.filter((word) => !word.startsWith('-'))].join(' ')
}

function reasonOf(stdout: string, stderr: string): string {
  return (
    reasonInJson(stdout) ?? reasonMarked(stderr) ?? reasonMarked(stdout) ?? tail(stdout, stderr)
  )
}

/** `{"error": {"text", "notes": [{"text"}]}}`, as wrangler prints with --json. */
function reasonInJson(stdout: string): string | null {
  try {
    const { error } = JSON.parse(stdout.slice(stdout.search(/^\{/m)))
    const notes = (error.notes ?? []).map(({ text }: { text: string }) => text)
    return [error.text, ...notes].join(' ')
  } catch {
    return null
  }
}

/** The text after wrangler's `[ERROR]`, up to the next blank lines. */
function reasonMarked(output: string): string | null {
  const [, reason] = /\[ERROR\]\s*([\s\S]+?)(?:\n\s*\n\s*\n|\n\s*\n\S|$)/.exec(output) ?? []
  return (
    reason
      ?.replace(BUG_REPORT, '')
      .replace(/\s*\n\s*/g, ' ')
      .trim() || null
  )
}

function tail(...outputs: string[]): string {
  const lines = outputs
    .join('\n')
    .split('\n')
    .filter((line) => line.trim() !== '')
  return lines.slice(-LINES_SHOWN_MAX).join('\n') || 'failed without a message.'
}
