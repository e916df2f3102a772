import { styleText } from 'node:util'
import { CHROMIUM_ADVICE, findChromium } from './chromium.ts'
import { tidy } from './tidy.ts'
import { exitOf, startTool } from './tool.ts'

interface Step {
  name: string
  run: () => Promise<number>
}

/** Runs all checks in turn. Stops at the first that fails and returns its exit code. */
export async function check(args: string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage())
    return 0
  }
  const whole = args.includes('--whole')
  const deep = whole || args.includes('--deep')
  const vitestArgs = args.filter((arg) => arg !== '--deep' && arg !== '--whole')
  const hasChromium = findChromium() !== null
  const code = await runSteps(
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
      name: 'types, lint, tidy',
      run: () =>
        together(
          runTool('tsc', ['-p', '.']),
          runTool('tsc', ['-p', 'src/dashboard/browser']),
          runTool('biome', ['check', '--error-on-warnings', '.']),
          tidy([]),
        ),
    },
    {
      name: whole ? 'tests, in full' : deep ? 'deep tests' : 'tests',
      run: () => runTool('vitest', ['run', ...vitestArgs], env),
    },
  ]
}

const namesFile = (arg: string) => arg.includes('test/')

/** Waits for all of them; gives the first exit code that is not 0. */
async function together(...runs: Promise<number>[]): Promise<number> {
  const codes = await Promise.all(runs)
  return codes.find((code) => code !== 0) ?? 0
}

async function runSteps(steps: Step[]): Promise<number> {
  const durations: string[] = []
  const begun = performance.now()
  for (const { name, run } of steps) {
    console.log(styleText('bold', `== ${name}`))
    const started = performance.now()
    const code = await run()
    const duration = `${name}: ${secondsSince(started)}`
    if (code !== 0) {
      const failed = `check: ${duration}, FAILED (exit code ${code})`
      console.error(styleText('red', failed, { stream: process.stderr }))
      return code
    }
    durations.push(duration)
  }
  const passed = `check: all passed in ${secondsSince(begun)} (${durations.join('; ')})`
  console.log(styleText('green', passed))
  return 0
}

const secondsSince = (started: number) => `${((performance.now() - started) / 1000).toFixed(1)} s`

/** Ctrl-C reaches the tool too, so this waits for it to end and returns its exit code. */
async function runTool(name: string, args: string[], env = {}): Promise<number> {
  const child = startTool(name, args, { stdio: 'inherit', env })
  const wait = () => {}
  const pass = () => child.kill('SIGTERM')
  process.on('SIGINT', wait).on('SIGTERM', pass)
  try {
    return await exitOf(name, child)
  } finally {
    process.off('SIGINT', wait).off('SIGTERM', pass)
  }
}

function usage(): string {
  return [
    'Usage: npm test [-- <arguments>]',
    '       npm run test:deep [-- --whole] [<arguments>]',
    '',
    'Types, lint, tidy, and then the tests. npm test runs the quick ones, and of long tables and',
    'generated cases a few, drawn anew each time. npm run test:deep runs what goes beyond that: of the',
    'files about half, and rows of the longest tables. It leaves none out with --whole, and no file',
    'where an argument names files.',
    'Arguments go to vitest, such as --project workerd test/records.',
    '',
    'What goes beyond that: npm run test:faults, npm run test:crash, npm run bench.',
  ].join('\n')
}
