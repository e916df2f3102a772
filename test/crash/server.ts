import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../scripts/failure.ts'
import type { Target } from './plan.ts'
import { killGroups, leftAfter, type Process, signalGroup, treeOf } from './processes.ts'

const START_MS_MAX = 60_000
const END_MS_MAX = 10_000
// Part of the last line that `npm start` prints when it is ready.
const SERVES = 'settings/v1/audit-log/'
const OUTPUT_SHOWN = 2000

export interface Access {
  origin: string
  key: string
  settingsKey: string
}

/** Runs `npm start` in a folder, in its own process group, as a shell does. */
export class Server {
  readonly #folder: string
  readonly #port: number
  readonly #npm: ChildProcess
  readonly #ended: Promise<void>
  readonly #startedAt = Date.now()
  #output = ''
  #killed: Process[] = []

  constructor(folder: string, port: number) {
    this.#folder = folder
    this.#port = port
    this.#npm = spawn('npm', ['start'], {
      cwd: folder,
      env: { ...process.env, PORT: String(port), npm_config_update_notifier: 'false' },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    // Also resolves if it could not be started: #pid reports that.
    this.#ended = once(this.#npm, 'exit').then(
      () => undefined,
      () => undefined,
    )
    for (const stream of [this.#npm.stdout, this.#npm.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text
      })
    }
  }

  /** Waits until it serves. Throws a Failure if it ends or takes too long. */
  async serves(life: AbortSignal): Promise<Access & { tookMs: number }> {
    const end = this.#startedAt + START_MS_MAX
    while (!this.#output.includes(SERVES)) {
      life.throwIfAborted()
      if (this.#hasEnded) throw this.#failure('npm start has ended by itself')
      if (Date.now() > end) throw this.#failure(`npm start did not serve in ${START_MS_MAX} ms`)
      await sleep(20)
    }
    const tookMs = Date.now() - this.#startedAt
    const demo = JSON.parse(await readFile(join(this.#folder, '.wrangler/demo.json'), 'utf8'))
    const origin = `http://127.0.0.1:${this.#port}`
    return { origin, key: demo.key, settingsKey: demo.settings_key, tookMs }
  }

  /** Its running processes. */
  tree(): Promise<Process[]> {
    return treeOf(this.#pid)
  }

  /** Sends SIGKILL. Returns the processes that ran until then. */
  async kill(target: Target): Promise<Process[]> {
    const tree = await this.tree()
    this.#killed = tree
    if (target === 'all') killGroups(tree)
    else if (target === 'parent') signalGroup(this.#pid, 'SIGKILL')
    else this.#killWorkerd(target, tree)
    return tree
  }

  /** Stops it with Ctrl-C. Returns the processes that still run after ten seconds. */
  async stop(): Promise<Process[]> {
    const tree = await this.tree()
    signalGroup(this.#pid, 'SIGINT')
    return await leftAfter(tree, END_MS_MAX)
  }

  /** Sends SIGKILL to its remaining processes, also to those without their parent. */
  async end(): Promise<void> {
    // After its end, another process may have its pid.
    const tree = this.#hasEnded ? [] : await this.tree()
    killGroups([...tree, ...(await leftAfter(this.#killed, 0))])
    if (tree.length > 0) await this.#ended
  }

  get #pid(): number {
    if (this.#npm.pid === undefined) throw new Failure('npm is not installed, or not in PATH.')
    return this.#npm.pid
  }

  get #hasEnded(): boolean {
    return this.#npm.exitCode !== null || this.#npm.signalCode !== null
  }

  #killWorkerd(target: 'worker' | 'proxy', tree: Process[]): void {
    const workerd = tree.find(({ command }) => {
      const hasPort = command.includes(`:${this.#port} `)
      return command.includes('workerd serve') && hasPort === (target === 'proxy')
    })
    if (!workerd) throw this.#failure(`There is no ${target} to kill`)
    process.kill(workerd.pid, 'SIGKILL')
  }

  #failure(what: string): Failure {
    return new Failure(`${what}. Its output:\n${this.#output.slice(-OUTPUT_SHOWN)}`)
  }
}
