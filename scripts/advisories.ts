import { execFile } from 'node:child_process'

const USAGE = `Usage: npm run advisories

Asks the registry for advisories about the packages that are deployed (npm audit --omit=dev). Exit code 0: there are
none, or the registry does not say; 1: there is one.`

/** The result of the question. `lines` are for people. */
export interface Verdict {
  code: 0 | 1
  lines: string[]
}

export async function advisories(args: string[]): Promise<number> {
  if (args.length > 0) {
    console.log(USAGE)
    return args.includes('--help') || args.includes('-h') ? 0 : 2
  }
  const { code, lines } = verdictOn(await audit())
  console.log(lines.join('\n'))
  return code
}

/** npm ends with 1 for an advisory and for a registry that does not answer: only the text tells them apart. */
function audit(): Promise<string> {
  return new Promise((fulfil) => {
    execFile('npm', ['audit', '--omit=dev', '--json'], (_error, stdout) => fulfil(stdout))
  })
}

export function verdictOn(stdout: string): Verdict {
  const report = parsed(stdout)
  if (!isReport(report)) {
    return { code: 0, lines: ['The registry does not tell advisories, so this says nothing.'] }
  }
  const found = Object.entries(report.vulnerabilities)
  if (found.length === 0) return { code: 0, lines: ['No advisory is about what is deployed.'] }
  const lines = found.map(([name, about]) => `${name}: ${severityOf(about)}`)
  return {
    code: 1,
    lines: [...lines, 'What to do: npm audit --omit=dev says which version ends it.'],
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isReport(report: unknown): report is { vulnerabilities: Record<string, unknown> } {
  return (
    typeof report === 'object' &&
    report !== null &&
    'vulnerabilities' in report &&
    typeof report.vulnerabilities === 'object' &&
    report.vulnerabilities !== null
  )
}

function severityOf(about: unknown): string {
  const isTold = typeof about === 'object' && about !== null && 'severity' in about
  return isTold ? String(about.severity) : 'unknown'
}
