import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { text } from 'node:stream/consumers'
import { styleText } from 'node:util'
import { CHROMIUM_ADVICE, findChromium } from './chromium.ts'
import { tidy } from './tidy.ts'
import { exitOf, startTool } from './tool.ts'

interface Step {
  name: string
  run: (signals: Signals) => Promise<number>
}

interface Signals {
  /** A check has failed. The tests take long; what the other checks find is of use, too. */
  endTests: AbortSignal
  endAll: AbortSignal
}

/** Runs the checks beside the tests. A check that fails ends the tests. Gives the exit code of the first that fails. */
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
    {
      name: 'types',
      run: (signals) => runQuietly('tsc', ['-p', '.', '--singleThreaded'], signals),
    },
    {
      name: 'types of the browser',
      run: (signals) => runQuietly('tsc', ['-p', 'src/dashboard/browser'], signals),
    },
    {
      name: 'lint',
      run: (signals) => runQuietly('biome', ['check', '--error-on-warnings', '.'], signals),
    },
    { name: 'tidy', run: () => tidy([]) },
    {
      name: whole ? 'tests, in full' : deep ? 'deep tests' : 'tests',
      run: (signals) => runTests(vitestArgs, env, signals),
    },
  ]
}

const namesFile = (arg: string) => arg.includes('test/')

async function runBeside(steps: Step[]): Promise<number> {
  const begun = performance.now()
  console.log(styleText('bold', `== ${steps.map(({ name }) => name).join(', ')}`))
  const [tests, all] = [new AbortController(), new AbortController()]
  const signals = { endTests: AbortSignal.any([tests.signal, all.signal]), endAll: all.signal }
  const interrupt = (name: NodeJS.Signals) => all.abort(name)
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  const ended: Ended[] = []
  const results = await Promise.allSettled(
    steps.map(async ({ name, run }) => {
      const code = await run(signals).catch((error) => {
        tests.abort()
        throw error
      })
      ended.push({ duration: `${name}: ${secondsSince(begun)}`, code })
      if (code !== 0) tests.abort()
    }),
  )
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  const broken = results.find((result) => result.status === 'rejected')
  if (broken) throw broken.reason
  return tell(ended, all.signal, secondsSince(begun))
}

interface Ended {
  duration: string
  code: number
}

/** Says how it ended, `steps` being in the order in which they did. Gives the exit code. */
function tell(steps: Ended[], interrupted: AbortSignal, duration: string): number {
  const fail = (message: string) =>
    console.error(styleText('red', `check: ${message}`, { stream: process.stderr }))
  if (interrupted.aborted) {
    fail('interrupted')
    return 128 + constants.signals[interrupted.reason as NodeJS.Signals]
  }
  const failed = steps.find(({ code }) => code !== 0)
  if (failed) fail(`${failed.duration}, FAILED (exit code ${failed.code})`)
  else {
    const each = steps.map((step) => step.duration).join('; ')
    console.log(styleText('green', `check: all passed in ${duration} (${each})`))
  }
  return failed?.code ?? 0
}

const secondsSince = (started: number) => `${((performance.now() - started) / 1000).toFixed(1)} s`

/** Shows what the tool says only if it fails, in one piece, so that it does not stand among the lines of the tests. */
async function runQuietly(name: string, args: string[], { endAll }: Signals): Promise<number> {
  const env = process.stderr.hasColors?.() ? { FORCE_COLOR: '1' } : {}
  const child = startTool(name, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  const said = Promise.all([child.stdout, child.stderr].map((out) => (out ? text(out) : '')))
  // The compiler takes no other signal.
  const code = await exitAfter(name, child, endAll, 'SIGKILL')
  if (code !== 0 && !endAll.aborted) process.stderr.write((await said).join(''))
  return code
}

async function runTests(args: string[], env: NodeJS.ProcessEnv, { endTests }: Signals) {
  const folder = env.DEEP === '' && process.env.TMPDIR === undefined ? folderInMemory() : null
  const child = startTool('vitest', ['run', ...args], {
    stdio: 'inherit',
    env: { ...env, ...(folder !== null && { TMPDIR: folder }) },
  })
  try {
    return await exitAfter('vitest', child, endTests, 'SIGTERM')
  } finally {
    if (folder !== null) remove(folder)
  }
}

/** The exit code. Ends the tool by `end` once `signal` comes. */
async function exitAfter(
  name: string,
  child: ChildProcess,
  signal: AbortSignal,
  end: NodeJS.Signals,
): Promise<number> {
  const kill = () => child.kill(end)
  signal.addEventListener('abort', kill)
  try {
    return await exitOf(name, child)
  } finally {
    signal.removeEventListener('abort', kill)
  }
}

/** The quick tests keep their databases here if it has room: writing them to a disk takes a tenth of the time. */
const MEMORY = '/dev/shm'
const MEMORY_BYTES_MIN = 1024 ** 3
const LEFT_MS_MIN = 86_400_000

/** A folder of this run; null if there is no room for one. Removes those that interrupted runs have left. */
function folderInMemory(): string | null {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (bavail * bsize < MEMORY_BYTES_MIN) return null
    for (const name of readdirSync(MEMORY)) {
      const folder = `${MEMORY}/${name}`
      const isOurs = name.startsWith('crossdock-')
      if (isOurs && Date.now() - statSync(folder).mtimeMs > LEFT_MS_MIN) remove(folder)
    }
    return mkdtempSync(`${MEMORY}/crossdock-`)
  } catch {
    return null
  }
}

/** A test that is just ending may still write there. Then the next day's run removes it. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  } catch {}
}

function usage(): string {
  return [
    'Usage: npm test [-- <arguments>]',
    '       npm run test:deep [-- --whole] [<arguments>]',
    '',
    'Types, lint and tidy beside the tests, which end if one of these fails. npm test runs the quick',
    'tests, and of long tables and generated cases a few, drawn anew each time. npm run test:deep runs what',
    'goes beyond that: of the files about half, and rows of the longest tables. It leaves none out with',
    '--whole, and no file where an argument names files.',
    'Arguments go to vitest, such as --project workerd test/records.',
    '',
    'What goes beyond that: npm run test:faults, npm run test:crash, npm run bench.',
  ].join('\n')
}
