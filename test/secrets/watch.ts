import { type KeySearch, keysIn } from './search.ts'

const KEY_BYTES_MAX = 128
const LEVELS = new Set<string | symbol>(['log', 'info', 'warn', 'error', 'debug', 'trace'])

type Digest = SubtleCrypto['digest']

/** A key is hashed when it is made and whenever it is sent: the search learns it from that. Gives what ends it. */
export function watchHashing(search: KeySearch): () => void {
  const digest = crypto.subtle.digest
  const watched: Digest = (algorithm, data) => {
    if (data.byteLength <= KEY_BYTES_MAX) {
      for (const key of keysIn(new TextDecoder().decode(data))) search.learn(key)
    }
    return digest.call(crypto.subtle, algorithm, data)
  }
  const put = (value: Digest) =>
    Object.defineProperty(crypto.subtle, 'digest', { value, configurable: true })
  put(watched)
  return () => put(digest)
}

/** Looks through every line from now on, also where a test puts a method of its own in its place. Gives what ends it. */
export function watchConsole(search: KeySearch): () => void {
  const own = console
  globalThis.console = new Proxy(own, {
    get(target, level) {
      const method = Reflect.get(target, level)
      if (!LEVELS.has(level) || typeof method !== 'function') return method
      return new Proxy(method, {
        apply(write, _this, values) {
          search.look(`console.${String(level)}`, values.map(lineOf).join(' '))
          return Reflect.apply(write, target, values)
        },
      })
    },
  })
  return () => {
    globalThis.console = own
  }
}

function lineOf(value: unknown): string {
  if (value instanceof Error) return `${value.stack} ${lineOf(value.cause)}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
