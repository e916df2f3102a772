import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  type Account,
  type Binding,
  type Module,
  type Script,
  servingVersion,
  type Version,
  ZONE,
} from './account.ts'
import type { Runtime, WorkerOptions } from './runtime.ts'

export interface Edge {
  /** As a visitor from anywhere; see `proxy` for other programs. */
  fetch: (url: string, init?: RequestInit) => Promise<Response>
  /** Runs the cron of a deployed Worker, as of the time. */
  runCron: (worker: string, time: Date) => Promise<void>
  /** `http://127.0.0.1:<port>`: an HTTP proxy that leads every host of the zone to its Worker. */
  proxy: string
  close: () => Promise<void>
}

/**
 * The way to deployed Workers. A client that takes this proxy meets the real host name, TLS
 * included; other hosts are refused, so nothing goes anywhere.
 */
export async function startEdge(account: Account, runtime: Runtime): Promise<Edge> {
  const serveLatest = latest(account, runtime)
  const server = createServer((_request, response) => response.writeHead(403).end())
  const open = new Set<Duplex>()
  server.on('connect', (request, socket, head) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    const [host = ''] = (request.url ?? '').split(':')
    if (!host.endsWith(`.${ZONE.name}`)) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    serveLatest().then(
      () => lead(socket, head, runtime.url),
      (error: unknown) => {
        runtime.logs.push(`The Worker does not start: ${error}`)
        socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
      },
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    fetch: async (url, init) => {
      await serveLatest()
      return runtime.fetch(url, init)
    },
    runCron: async (worker, time) => {
      await serveLatest()
      await runtime.runCron(worker, time)
    },
    proxy: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

function lead(socket: Duplex, head: Buffer, { hostname, port }: URL): void {
  const upstream = connect(Number(port), hostname, () => {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    upstream.write(head)
    upstream.pipe(socket).pipe(upstream)
  })
  upstream.on('error', () => socket.destroy())
  socket.once('close', () => upstream.destroy())
}

/** Miniflare starts anew for each change: once before the next visit, not at each call of the API. */
function latest(account: Account, runtime: Runtime): () => Promise<void> {
  let served = ''
  let change = Promise.resolve()
  return () => {
    const scripts = [...account.scripts.values()]
    const state = JSON.stringify(
      scripts.map((script) => [servingVersion(script)?.id, script.routes]),
    )
    if (state !== served) {
      served = state
      change = change
        .catch(() => {})
        .then(() => runtime.serve(scripts.flatMap((script) => workersOf(account, script))))
    }
    return change
  }
}

const MODULE_TYPES = {
  'application/javascript+module': 'ESModule',
  'application/javascript': 'CommonJS',
  'application/wasm': 'CompiledWasm',
  'application/octet-stream': 'Data',
  'text/plain': 'Text',
} as const

// Miniflare leads a route past the static files; a service binding it leads to them first.
const FRONT = 'export default { fetch: (request, { WORKER }) => WORKER.fetch(request) }'

function workersOf(account: Account, script: Script): WorkerOptions[] {
  const version = servingVersion(script)
  if (!version) return []
  const { name, routes } = script
  const { compatibility_date: compatibilityDate, compatibility_flags: compatibilityFlags } = version
  const serviceBindings = { WORKER: name }
  return [
    {
      name: `front of ${name}`,
      modules: true,
      script: FRONT,
      routes,
      compatibilityDate,
      serviceBindings,
    },
    {
      name,
      modules: version.modules.map(moduleOf),
      compatibilityDate,
      compatibilityFlags,
      ...boundTo(account, version.bindings),
      ...assetsOf(version),
    },
  ]
}

function moduleOf({ path, type, contents }: Module) {
  const known = Object.entries(MODULE_TYPES).find(([name]) => name === type)
  if (!known) throw new Error(`A module of type ${type} is not known here.`)
  return { type: known[1], path, contents: new Uint8Array(contents) }
}

function boundTo(account: Account, bindings: Binding[]) {
  const values = bindings.flatMap((binding) => {
    if (binding.type === 'plain_text' || binding.type === 'secret_text') {
      return [[binding.name, binding.text]]
    }
    return binding.type === 'json' ? [[binding.name, binding.json]] : []
  })
  const ids = (type: 'd1' | 'kv_namespace') =>
    Object.fromEntries(
      bindings.flatMap((binding) => {
        if (binding.type !== type) return []
        return [[binding.name, binding.type === 'd1' ? binding.id : binding.namespace_id]]
      }),
    )
  return {
    bindings: Object.fromEntries(values),
    d1Databases: ids('d1'),
    kvNamespaces: ids('kv_namespace'),
    r2Buckets: Object.fromEntries(bindings.flatMap((binding) => bucketsOf(account, binding))),
    durableObjects: Object.fromEntries(bindings.flatMap(objectsOf)),
    ratelimits: Object.fromEntries(bindings.flatMap(rateLimitsOf)),
    serviceBindings: Object.fromEntries(bindings.flatMap(servicesOf)),
    analyticsEngineDatasets: Object.fromEntries(bindings.flatMap(datasetsOf)),
  }
}

function bucketsOf({ buckets }: Account, binding: Binding) {
  const bucket = binding.type === 'r2_bucket' && buckets.get(binding.bucket_name)
  return bucket ? [[binding.name, bucket.id]] : []
}

function servicesOf(binding: Binding) {
  return binding.type === 'service' ? [[binding.name, binding.service]] : []
}

function objectsOf(binding: Binding) {
  if (binding.type !== 'durable_object_namespace') return []
  return [[binding.name, { className: binding.class_name, useSQLite: true }]]
}

function datasetsOf(binding: Binding) {
  return binding.type === 'analytics_engine' ? [[binding.name, { dataset: binding.dataset }]] : []
}

function rateLimitsOf(binding: Binding) {
  if (binding.type !== 'ratelimit') return []
  const { name, namespace_id, simple } = binding
  return [[name, { namespace_id, simple }] as const]
}

function assetsOf({ assets, bindings }: Version): Pick<WorkerOptions, 'assets'> {
  if (!assets) return {}
  const { directory, run_worker_first, html_handling, not_found_handling } = assets
  const binding = bindings.find(({ type }) => type === 'assets')?.name
  return {
    assets: {
      directory,
      routerConfig: { has_user_worker: true },
      assetConfig: { html_handling, not_found_handling },
      ...(binding && { binding }),
      ...(run_worker_first !== undefined && { run_worker_first }),
    },
  }
}
