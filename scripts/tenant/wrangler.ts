import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { Failure } from '../failure.ts'
import { exitOf, startTool } from '../tool.ts'

// Nothing is asked, coloured or reported to anybody. No log is kept: it would hold customers' rows.
const ENV = {
  CI: '1',
  NO_COLOR: '1',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_LOG: 'log',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_WRITE_LOGS: 'false',
}
const LINES_SHOWN_MAX = 20
const SIGNED_OUT =
  /CLOUDFLARE_API_TOKEN|not (?:authenticated|logged in)|wrangler login|code: (?:10000|10001|9109|9106)\b/i
const BUG_REPORT = /If you think this is a bug[\s\S]*/
const SIGN_IN =
  'Sign in first: npx wrangler login, or set CLOUDFLARE_API_TOKEN (docs/operations.md says what it must be allowed to do).'

/** Runs wrangler to its end and gives what it printed; throws a Failure with wrangler's own reason. */
export async function runWrangler(args: string[]): Promise<string> {
  const child = startTool('wrangler', args, { env: ENV, stdio: ['ignore', 'pipe', 'pipe'] })
  const [code, stdout, stderr] = await Promise.all([
    exitOf('wrangler', child),
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
  ])
  if (code === 0) return stdout
  const reason = reasonOf(stripVTControlCharacters(stdout), stripVTControlCharacters(stderr))
  const advice = SIGNED_OUT.test(reason) ? `\n${SIGN_IN}` : ''
  throw new Failure(`${nameOf(args)}: ${reason}${advice}`)
}

/** The same for commands that print JSON. */
export async function runWranglerJson(args: string[]): Promise<unknown> {
  const stdout = await runWrangler([...args, '--json'])
  try {
    return JSON.parse(stdout.slice(stdout.search(/^[[{]/m)))
  } catch {
    throw new Failure(`${nameOf(args)} printed no JSON: ${stdout}`)
  }
}

/** `wrangler d1 migrations apply` of all its arguments. */
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

/** What follows wrangler's mark of an error, up to the next blank lines. */
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
  return lines.slice(-LINES_SHOWN_MAX).join('\n') || 'failed and said nothing.'
}
