import { styleText } from 'node:util'
import { CHROMIUM_ADVICE, findChromium } from './chromium.ts'
import { tidy } from './tidy.ts'
import { exitOf, startTool } from './tool.ts'

interface Step {
  name: string
  run: () => Promise<number>
}

/** Runs every check in turn and stops at the first that fails, with its exit code. */
export async function check(vitestArgs: string[]): Promise<number> {
  const durations: string[] = []
  const hasChromium = findChromium() !== null
  const leftOut = hasChromium ? [] : ['--project', '!browser']
  const steps: Step[] = [
    { name: 'types', run: () => runTool('tsc', ['-p', '.']) },
    { name: 'types of what runs in the browser', run: () => runTool('tsc', ['-p', 'browser']) },
    { name: 'lint', run: () => runTool('biome', ['check', '--error-on-warnings', '.']) },
    { name: 'tidy', run: () => tidy([]) },
    { name: 'tests', run: () => runTool('vitest', ['run', ...leftOut, ...vitestArgs]) },
  ]
  for (const { name, run } of steps) {
    console.log(styleText('bold', `== ${name}`))
    const started = performance.now()
    const code = await run()
    const duration = `${name} ${((performance.now() - started) / 1000).toFixed(1)} s`
    if (code !== 0) {
      const failed = `check: ${duration}, FAILED (exit code ${code})`
      console.error(styleText('red', failed, { stream: process.stderr }))
      return code
    }
    durations.push(duration)
  }
  console.log(styleText('green', `check: all passed (${durations.join(', ')})`))
  if (!hasChromium) {
    console.log(
      styleText('yellow', `The browser tests were left out: no Chromium. ${CHROMIUM_ADVICE}`),
    )
  }
  return 0
}

/** Ctrl-C reaches the tool as it reaches us: what it makes of it is what we report. */
async function runTool(name: string, args: string[]): Promise<number> {
  const child = startTool(name, args, { stdio: 'inherit' })
  const wait = () => {}
  const pass = () => child.kill('SIGTERM')
  process.on('SIGINT', wait).on('SIGTERM', pass)
  try {
    return await exitOf(name, child)
  } finally {
    process.off('SIGINT', wait).off('SIGTERM', pass)
  }
}
