import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { styleText } from 'node:util'
import { CHROMIUM_ADVICE, findChromium } from './chromium.ts'
import { tidy } from './tidy.ts'
import { exitOf, startTool } from './tool.ts'

interface Step {
  name: string
  run: (signal: AbortSignal) => Promise<number>
}

/** Runs all checks and the tests beside each other. The first that fails ends the others; gives its exit code. */
export async function check(args: string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage())
    return 0
  }
  const whole = args.includes('--whole')
  const deep = whole || args.includes('--deep')
  const vitestArgs = args.filter((arg) => arg !== '--deep' && arg !== '--whole')
  const hasChromium = findChromium() !== null
  const code = await runBeside(
    stepsOf({ deep, whole }, [...(hasChromium ? [] : ['--project', '!browser']), ...vitestArgs]),
  )
  if (code === 0 && !hasChromium) {
    console.log(
      styleText(
        'yellow',
        `The browser tests did not run: there is no Chromium. ${CHROMIUM_ADVICE}`,
      ),
    )
  }
  return code
}

/** vitest.config.ts says what DEEP and WHOLE decide. */
function stepsOf({ deep, whole }: Record<'deep' | 'whole', boolean>, vitestArgs: string[]): Step[] {
  const draws = deep && !whole && !vitestArgs.some(namesFile)
  const env = { DEEP: deep ? '1' : '', WHOLE: whole ? '1' : '', DRAW: draws ? '1' : '' }
  return [
    { name: 'types', run: (signal) => runQuietly('tsc', ['-p', '.', '--singleThreaded'], signal) },
    {
      name: 'types of the browser',
      run: (signal) => runQuietly('tsc', ['-p', 'src/dashboard/browser'], signal),
    },
    {
      name: 'lint',
      run: (signal) => runQuietly('biome', ['check', '--error-on-warnings', '.'], signal),
    },
    { name: 'tidy', run: () => tidy([]) },
    {
      name: whole ? 'tests, in full' : deep ? 'deep tests' : 'tests',
      run: (signal) => runTests(vitestArgs, env, signal),
    },
  ]
}

const namesFile = (arg: string) => arg.includes('test/')

async function runBeside(steps: Step[]): Promise<number> {
  const begun = performance.now()
  console.log(styleText('bold', `== ${steps.map(({ name }) => name).join(', ')}`))
  const others = new AbortController()
  const failures: { line: string; code: number }[] = []
  const durations = await Promise.all(
    steps.map(async ({ name, run }) => {
      const code = await run(others.signal)
      const duration = `${name}: ${secondsSince(begun)}`
      if (code !== 0) {
        failures.push({ line: `check: ${duration}, FAILED (exit code ${code})`, code })
        others.abort()
      }
      return duration
    }),
  )
  const [first] = failures
  if (first) {
    console.error(styleText('red', first.line, { stream: process.stderr }))
    return first.code
  }
  const passed = `check: all passed in ${secondsSince(begun)} (${durations.join('; ')})`
  console.log(styleText('green', passed))
  return 0
}

const secondsSince = (started: number) => `${((performance.now() - started) / 1000).toFixed(1)} s`

/** Shows what the tool says only if it fails, in one piece, so that it does not stand among the lines of the tests. */
async function runQuietly(name: string, args: string[], signal: AbortSignal): Promise<number> {
  const env = process.stderr.isTTY ? { FORCE_COLOR: '1' } : {}
  const child = startTool(name, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  const said = Promise.all([child.stdout, child.stderr].map((out) => (out ? text(out) : '')))
  const code = await ended(name, child, signal)
  if (code !== 0 && !signal.aborted) process.stderr.write((await said).join(''))
  return code
}

/** The quick tests keep their databases here if it has room: writing them to a disk takes a tenth of the time. */
const MEMORY = '/dev/shm'
const MEMORY_BYTES_MIN = 1024 ** 3

async function runTests(args: string[], env: NodeJS.ProcessEnv, signal: AbortSignal) {
  const folder = env.DEEP === '' && hasRoom(MEMORY) ? mkdtempSync(`${MEMORY}/crossdock-`) : null
  const child = startTool('vitest', ['run', ...args], {
    stdio: 'inherit',
    env: { ...env, ...(folder !== null && { TMPDIR: folder }) },
  })
  try {
    return await ended('vitest', child, signal)
  } finally {
    if (folder !== null) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= MEMORY_BYTES_MIN
}

/** Ctrl-C reaches the tool too, so this waits for it to end and returns its exit code. */
async function ended(name: string, child: ChildProcess, signal: AbortSignal): Promise<number> {
  const wait = () => {}
  const end = () => child.kill('SIGTERM')
  process.on('SIGINT', wait).on('SIGTERM', end)
  signal.addEventListener('abort', end)
  try {
    return await exitOf(name, child)
  } finally {
    process.off('SIGINT', wait).off('SIGTERM', end)
    signal.removeEventListener('abort', end)
  }
}

function usage(): string {
  return [
    'Usage: npm test [-- <arguments>]',
    '       npm run test:deep [-- --whole] [<arguments>]',
    '',
    'Types, lint and tidy beside the tests: the first that fails ends the others. npm test runs the quick',
    'tests, and of long tables and generated cases a few, drawn anew each time. npm run test:deep runs what',
    'goes beyond that: of the files about half, and rows of the longest tables. It leaves none out with',
    '--whole, and no file where an argument names files.',
    'Arguments go to vitest, such as --project workerd test/records.',
    '',
    'What goes beyond that: npm run test:faults, npm run test:crash, npm run bench.',
  ].join('\n')
}
