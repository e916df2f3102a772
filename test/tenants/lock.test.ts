import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const MODULE = resolve('scripts/local/lock.ts')

let folder: string
const started: ChildProcess[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-'))
})

afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

/** A program in the folder that has the module's functions. */
function start(code: string): ChildProcess {
  const program = `const { lockFolder, runningServer, saveAddress } = await import('${MODULE}')\n${code}`
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  started.push(child)
  return child
}

/** A server that has the lock, and has chosen a port. */
async function serving(port: number): Promise<ChildProcess> {
  const server = start(`const lock = await lockFolder()
    await saveAddress(${port})
    console.log('locked')
    setInterval(() => lock, 1000)`)
  if (server.stdout) await once(server.stdout, 'data')
  return server
}

const answerOf = async (code: string) => {
  const { stdout } = start(code)
  return stdout ? (await text(stdout)).trim() : ''
}

const LOCK = "await lockFolder().then(() => console.log('locked'), (e) => console.log(e.message))"
const RUNNING = 'console.log(await runningServer())'

describe('the lock of npm start', () => {
  it('refuses a second server and names the address of the first', async () => {
    await serving(9123)
    expect(await answerOf(LOCK)).toMatch(
      /^npm start already runs in this folder, at http:\/\/localhost:9123: stop it first\./,
    )
    expect(await answerOf(RUNNING)).toBe('http://localhost:9123')
  })

  it('ends with a server that is killed, and so does its address', async () => {
    const server = await serving(9123)
    server.kill('SIGKILL')
    await once(server, 'exit')
    expect(await answerOf(RUNNING)).toBe('null')
    expect(await answerOf(`${LOCK}; ${RUNNING}`)).toBe('locked\nnull')
  })

  it('is no obstacle to those who only ask whether a server runs', async () => {
    const server = await serving(9123)
    server.kill('SIGKILL')
    await once(server, 'exit')
    const asking = start('for (;;) await runningServer()')
    for (let times = 0; times < 3; times++) expect(await answerOf(LOCK)).toBe('locked')
    asking.kill('SIGKILL')
  })

  it('says in one sentence that its folder cannot be written', async () => {
    await writeFile(join(folder, '.wrangler'), '')
    const [fails, message] = await Promise.all([
      once(start('await lockFolder()'), 'exit'),
      answerOf(
        `const { withoutDiskErrors } = await import('${resolve('scripts/disk.ts')}')
         await lockFolder().catch((error) => console.log(withoutDiskErrors(error).message))`,
      ),
    ])
    expect(fails).toEqual([1, null])
    expect(message).toBe(
      '.wrangler cannot be written: there is already a file of that name (EEXIST).',
    )
  })
})
