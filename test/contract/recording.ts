import type { Preparer } from '../fixtures/endpoints.ts'
import type { Served } from '../fixtures/server.ts'
import { newestSession, signInAt } from '../fixtures/sign-in.ts'
import type { Json } from '../fixtures/tenant.ts'

type Key = 'all scopes' | 'no scope' | 'release 1.0' | 'no key'

export interface Options {
  /** By default, one with all scopes. */
  key?: Key
  body?: Json
  /** The body as it is sent, instead of `body`. */
  text?: string
  query?: string
  headers?: Record<string, string>
}

/** Headers that no code of ours sets, or that measure. */
const LEFT_OUT = ['date', 'connection', 'keep-alive', 'server-timing', 'transfer-encoding']

/** Sends requests to a server, and records some of them with their answers. */
export class Recorder {
  readonly #origin: string
  readonly #keys: Record<Key, string | null>
  readonly #cookie: string
  readonly #record: (text: string) => void

  private constructor(
    origin: string,
    keys: Record<Key, string | null>,
    cookie: string,
    record: (text: string) => void,
  ) {
    this.#origin = origin
    this.#keys = keys
    this.#cookie = cookie
    this.#record = record
  }

  /** `record` takes a request and its answer as text. */
  static async open({ origin, createKey }: Served, record: (text: string) => void) {
    const all = await createKey(['integrations.*', 'settings.*'], 'Administrator')
    const keys = { 'all scopes': all, 'no scope': await createKey([]), 'no key': null }
    const opening = new Recorder(origin, { ...keys, 'release 1.0': null }, '', record)
    const released = { name: 'Old', scopes: ['integrations.*'], release: '1.0' }
    const { body } = await opening.call('POST', '/api/settings/v1/api-keys/', { body: released })
    const cookie = await signInAt(origin, all)
    return new Recorder(origin, { ...keys, 'release 1.0': body.data.key }, cookie, record)
  }

  /** Makes the records that requests are about. Some are made by requests that are refused. */
  readonly admin: Preparer = {
    post: (path, body) => this.call('POST', path, { body }),
    put: (path, body) => this.call('PUT', path, { body }),
    signIn: async () => {
      const key = this.#keys['all scopes'] ?? ''
      await signInAt(this.#origin, key)
      return await newestSession(this.#origin, key)
    },
  }

  async call(method: string, path: string, options: Options = {}) {
    const response = await this.#send(method, path, options)
    return { headers: response.headers, body: (await response.json()) as Json }
  }

  async ask(method: string, path: string, options: Options = {}): Promise<void> {
    const response = await this.#send(method, path, options)
    await this.#keep(`${method} ${path} ${JSON.stringify(options)}`, response)
  }

  /** Opens a page of the dashboard. */
  async open(path: string): Promise<void> {
    const headers = { Cookie: this.#cookie }
    const response = await fetch(this.#origin + path, { redirect: 'manual', headers })
    await this.#keep(`GET ${path}`, response)
  }

  async #send(method: string, path: string, options: Options): Promise<Response> {
    const { body, text = body === undefined ? undefined : JSON.stringify(body) } = options
    const url = new URL(path, this.#origin)
    for (const [name, value] of new URLSearchParams(options.query)) {
      url.searchParams.append(name, value)
    }
    const headers = new Headers(options.headers)
    const key = this.#keys[options.key ?? 'all scopes']
    if (key !== null) headers.set('X-API-Key', key)
    if (text !== undefined) headers.set('Content-Type', 'application/json')
    const sent = text === undefined ? {} : { body: text }
    return await fetch(url, { method, redirect: 'manual', headers, ...sent })
  }

  async #keep(request: string, response: Response): Promise<void> {
    const headers = [...response.headers].filter(([name]) => !LEFT_OUT.includes(name))
    const lines = headers.map(([name, value]) => `${name}: ${value}`)
    const text = await response.text()
    this.#record([`### ${request}`, response.status, ...lines, '', text, ''].join('\n'))
  }
}
