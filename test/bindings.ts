type Call = (...parameters: unknown[]) => unknown
/** Calls the method, and gives what it then gives. */
export type Watch = (call: () => unknown) => unknown

const originals = new WeakMap<object, object>()

function unwrap(value: unknown): unknown {
  return Array.isArray(value) ? value.map(unwrap) : (originals.get(value as object) ?? value)
}

/** Leaves the calls of each such method to `watches[name]`. */
export function intercept(real: object, watches: Record<string, Watch>): object {
  const proxy = new Proxy(real, {
    get(target, name) {
      const member = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...parameters: unknown[]) => {
        const call = () => (member as Call).apply(target, parameters.map(unwrap))
        const watch = watches[String(name)]
        return watch ? watch(call) : call()
      }
    },
  })
  originals.set(proxy, real)
  return proxy
}
