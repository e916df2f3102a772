import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/local/port.ts'
import { type Project, startProject } from '../fixtures/project.ts'
import { Client } from './client.ts'
import { Follower } from './follower.ts'
import { Journal } from './journal.ts'
import { Load } from './load.ts'
import { verifyOverApi } from './over-api.ts'
import { type Kill, planOf, type Target } from './plan.ts'
import { killGroups, leftAfter, type Process } from './processes.ts'
import { Random } from './random.ts'
import { type Access, Server } from './server.ts'
import { type Baseline, readBaseline, readDatabase } from './snapshot.ts'
import { verify } from './verify.ts'

// How long clients continue after a kill: wrangler restarts a worker, and processes without their parent may run a
// moment longer.
const LINGER_MS: Record<Target, number> = { all: 0, parent: 300, worker: 1500, proxy: 500 }
const ENDING_MS_MAX = 5000
const PORT_TRIES_MAX = 20

export interface Options {
  kills: number
  seed: string
  life: AbortSignal
  say: (progress: string) => void
  /** Called between a kill and the next start. A test damages the database here to check that the run finds it. */
  spoil?: (folder: string, journal: Journal) => void
}

export interface Outcome {
  journal: Journal
  /** What was lost, duplicated or applied in part. The first problem ends the run. */
  problems: string[]
  kills: number
  /** The durations of the starts that got to serve. */
  startsMs: number[]
  auditRows: number
  /** The number of answered reads that have an audit row. */
  readsLogged: number
  /** The copy of the project. It is kept if there are problems. */
  folder: string
}

/** Starts and kills `npm start` in a copy of the project, and verifies the database after each start. */
export async function runCrashes(options: Options): Promise<Outcome> {
  const project = await startProject()
  const run = new CrashRun(options, project, await steadyPort())
  try {
    await run.all()
  } finally {
    await run.end()
    if (run.outcome.problems.length === 0) await project.remove()
  }
  return run.outcome
}

/** A port below the range of ephemeral ports, so that no other program gets it between two starts. */
async function steadyPort(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    try {
      return await freePort(String(port))
    } catch (error) {
      if (tries === PORT_TRIES_MAX) throw error
    }
  }
}

class CrashRun {
  readonly outcome: Outcome
  readonly #options: Options
  readonly #port: number
  readonly #random: Random
  readonly #load = new Load()
  readonly #follower = new Follower()
  readonly #servers: Server[] = []
  #baseline: Baseline | null = null
  #roundBegan = ''
  /** The line about the last kill, if it is not printed yet. */
  #told: string | null = null

  constructor(options: Options, { folder }: Project, port: number) {
    const counts = { kills: 0, startsMs: [], auditRows: 0, readsLogged: 0 }
    this.outcome = { journal: new Journal(), problems: [], folder, ...counts }
    this.#options = options
    this.#port = port
    this.#random = new Random(options.seed)
  }

  async all(): Promise<void> {
    for (const kill of planOf(this.#random, this.#options.kills)) {
      const server = this.#start()
      await (kill.during === 'start'
        ? this.#killStarting(server, kill)
        : this.#killLoaded(server, kill))
      if (this.outcome.problems.length > 0) return
      if (this.#baseline) this.#options.spoil?.(this.outcome.folder, this.outcome.journal)
    }
    const server = this.#start()
    await this.#verified(server)
    await this.#stop(server)
  }

  /** Ends every server that was started. */
  async end(): Promise<void> {
    for (const server of this.#servers) await server.end()
  }

  #start(): Server {
    const server = new Server(this.outcome.folder, this.#port)
    this.#servers.push(server)
    return server
  }

  async #killStarting(server: Server, kill: Kill): Promise<void> {
    await sleep(kill.afterMs, undefined, { signal: this.#options.life })
    const tree = await server.kill(kill.target)
    await this.#settle(server, kill, tree)
    this.#tellKill(`${kill.target} killed ${kill.afterMs} ms after its start, before any request`)
  }

  async #killLoaded(server: Server, kill: Kill): Promise<void> {
    const access = await this.#verified(server)
    if (this.outcome.problems.length > 0) return
    const { journal } = this.outcome
    if (!this.#baseline) {
      this.#baseline = readBaseline(this.outcome.folder)
      await this.#load.setUp(new Client(access, journal, this.#options.life))
    }
    const before = journal.counts()
    const cutOff = new AbortController()
    const client = new Client(access, journal, AbortSignal.any([cutOff.signal, this.#options.life]))
    const load = this.#load.run(client, this.#random.fork(String(journal.round)), cutOff)
    const following = this.#follower.follow(access, cutOff.signal)
    try {
      await sleep(kill.afterMs, undefined, { signal: this.#options.life })
      const tree = await server.kill(kill.target)
      await sleep(LINGER_MS[kill.target])
      client.stop()
      await load
      await following
      await this.#settle(server, kill, tree)
    } finally {
      client.stop()
      await load
      await following
    }
    this.outcome.problems.push(...journal.problems)
    const { requests, answered } = journal.counts()
    const sent = `${requests - before.requests} requests, ${answered - before.answered} answered`
    this.#tellKill(`${kill.target} killed ${kill.afterMs} ms after it served: ${sent}`)
  }

  /** After a kill of one workerd, stops the rest with Ctrl-C. After other kills, waits for the rest to end. */
  async #settle(server: Server, { target }: Kill, tree: Process[]): Promise<void> {
    this.outcome.kills += 1
    if (target === 'worker' || target === 'proxy') return await this.#stop(server)
    const left = await leftAfter(tree, ENDING_MS_MAX)
    const names = left.map(({ pid, command }) => `${pid} ${command.slice(0, 80)}`)
    if (left.length > 0) this.#options.say(`still running: ${names.join('; ')}`)
  }

  async #stop(server: Server): Promise<void> {
    const left = await server.stop()
    killGroups(left)
    if (left.length > 0) this.outcome.problems.push('npm start has not ended with Ctrl-C.')
  }

  /** Waits until the server serves, then verifies the database. */
  async #verified(server: Server): Promise<Access> {
    const { journal, startsMs } = this.outcome
    const access = await server.serves(this.#options.life)
    startsMs.push(access.tookMs)
    if (this.#baseline) await this.#verify(access, this.#baseline)
    journal.round += 1
    this.#roundBegan = new Date().toISOString()
    return access
  }

  async #verify(access: Access, baseline: Baseline): Promise<void> {
    const { outcome } = this
    const { journal, problems } = outcome
    const doubts = journal.doubts()
    const snapshot = readDatabase(outcome.folder, baseline)
    problems.push(...verify(journal, snapshot))
    if (problems.length === 0) {
      const { life } = this.#options
      problems.push(...(await verifyOverApi(access, journal, this.#roundBegan, life)))
      problems.push(...(await this.#follower.verify(access, outcome.folder, journal, life)))
    }
    outcome.auditRows = snapshot.audit.length
    outcome.readsLogged = snapshot.audit.filter((row) => journal.reads.has(row.request_id)).length
    const took = `started in ${((outcome.startsMs.at(-1) ?? 0) / 1000).toFixed(1)} s`
    const landed = doubts.filter((write) => write.landed).length
    const held = `${landed} of ${doubts.length} in doubt had landed`
    const all = `${journal.landed()} writes and ${outcome.auditRows} audit rows`
    this.#tellFound(
      `${took}; ${all} verified, ${held}${problems.length > 0 ? `; ${problems.length} WRONG` : ''}`,
    )
  }

  /** Prints one line per kill, completed by what the next start finds if it gets to serve. */
  #tellKill(text: string): void {
    if (this.#told !== null) this.#options.say(this.#told)
    this.#told = `${String(this.outcome.kills).padStart(2)}/${this.#options.kills}  ${text}`
  }

  #tellFound(text: string): void {
    this.#options.say([this.#told, text].filter((part) => part !== null).join('; '))
    this.#told = null
  }
}
