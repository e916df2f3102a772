import { styleText } from 'node:util'
import { Refused } from './dev/client.ts'
import type { Demo } from './dev/demo.ts'
import { ensurePartner } from './dev/partner.ts'
import { freePort } from './dev/port.ts'
import { pushSamples } from './dev/push.ts'
import { keepWranglerQuiet } from './dev/quiet.ts'
import { startServer } from './dev/server.ts'
import { ensureSessionSecret } from './dev/session-secret.ts'
import { prepareTenant } from './dev/tenant.ts'
import { welcome } from './dev/welcome.ts'

/** Serves the local tenant `demo` until Ctrl-C; what is in place already is left as it is. */
export async function dev(): Promise<number> {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stop.abort())
  }
  keepWranglerQuiet()
  try {
    return await serve(await freePort(process.env.PORT), stop.signal)
  } catch (error) {
    if (!stop.signal.aborted) throw error
    console.log('\nStopped.')
    return 0
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
    console.log(welcome(await fill(demo, server.life)))
    return await server.ends()
  } finally {
    await server.end()
  }
}

/** Sample data and the sample partner. If the API takes them not, that is no reason not to serve. */
async function fill(demo: Demo, life: AbortSignal): Promise<Demo> {
  try {
    await pushSamples(demo, life)
    return await ensurePartner(demo, life)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const warning = `The sample data is left as it is: ${error.message}`
    console.error(styleText('yellow', warning, { stream: process.stderr }))
    return demo
  }
}
