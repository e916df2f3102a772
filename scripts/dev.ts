import { styleText } from 'node:util'
import { assets } from './assets.ts'
import { Refused } from './dev/client.ts'
import { type Demo, saveDemo } from './dev/demo.ts'
import { ensurePartner } from './dev/partner.ts'
import { pushSamples } from './dev/push.ts'
import { prepareTenant } from './dev/tenant.ts'
import { welcome } from './dev/welcome.ts'
import { Failure } from './failure.ts'
import { lockFolder, saveAddress } from './local/lock.ts'
import { freePort } from './local/port.ts'
import { keepWranglerQuiet } from './local/quiet.ts'
import { ensureLocalSecrets } from './local/secrets.ts'
import { startServer } from './local/server.ts'
import { step } from './tenant/progress.ts'

/** Serves the local tenant `demo` until Ctrl-C. Keeps the database, keys and data of earlier starts. */
export async function dev(args: string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage())
    return 0
  }
  if (args.length > 0) throw new Failure(`npm start does not accept "${args[0]}".\n\n${usage()}`, 2)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stop.abort())
  }
  keepWranglerQuiet()
  const lock = await lockFolder()
  try {
    const port = await freePort(process.env.PORT)
    await saveAddress(port)
    return await serve(port, stop.signal)
  } catch (error) {
    if (!stop.signal.aborted) throw error
    console.log('\nStopped.')
    return 0
  } finally {
    lock.release()
  }
}

async function serve(port: number, stop: AbortSignal): Promise<never> {
  console.error('Starting the local tenant demo')
  await ensureLocalSecrets()
  await step('Building the dashboard, the reference and the OpenAPI documents', () => assets([]))
  stop.throwIfAborted()
  const server = startServer(port, stop)
  try {
    // While the server starts: it opens the database at the first request.
    const demo = await prepareTenant(port)
    await step(`Starting the server on port ${port}`, server.answers)
    const filled = await step('Adding the sample data', () => fill(demo, server.life))
    await saveDemo(filled)
    console.log(welcome(filled))
    return await server.ends()
  } finally {
    await server.end()
  }
}

/** Adds the sample data and the sample partner. If the API refuses them, it only warns: the server still runs. */
async function fill(demo: Demo, life: AbortSignal): Promise<Demo> {
  try {
    await pushSamples(demo, life)
    return await ensurePartner(demo, life)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const warning = `The sample data could not be added: ${error.message}`
    console.error(styleText('yellow', warning, { stream: process.stderr }))
    return demo
  }
}

function usage(): string {
  return [
    'Usage: npm start',
    '',
    'Serves the local tenant demo until Ctrl-C: API, dashboard and reference, with sample data. Prints its',
    'address and its keys, and saves them in .wrangler/demo.json. Data stays in the folder .wrangler: delete it',
    'to begin anew.',
    '',
    '  PORT=<number> npm start   use this port; 8787 if it is not set',
  ].join('\n')
}
