import { styleText } from 'node:util'
import { Refused } from './dev/client.ts'
import { type Demo, saveDemo } from './dev/demo.ts'
import { lockFolder, saveAddress } from './dev/lock.ts'
import { ensurePartner } from './dev/partner.ts'
import { freePort } from './dev/port.ts'
import { pushSamples } from './dev/push.ts'
import { keepWranglerQuiet } from './dev/quiet.ts'
import { startServer } from './dev/server.ts'
import { ensureSessionSecret } from './dev/session-secret.ts'
import { prepareTenant } from './dev/tenant.ts'
import { welcome } from './dev/welcome.ts'
import { Failure } from './failure.ts'

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
  console.log('Preparing the local tenant demo ...')
  await ensureSessionSecret()
  const demo = await prepareTenant(port, stop)
  console.log(`Starting the server on port ${port} ...`)
  const server = startServer(port, stop)
  try {
    await server.answers()
    const filled = await fill(demo, server.life)
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
