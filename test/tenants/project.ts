import { type ChildProcess, spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { lookInFiles } from '../secrets/files.ts'
import { outgoing } from '../secrets/outgoing.ts'
import { lookAtOutput } from '../secrets/output.ts'

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

export interface Project {
  folder: string
  /** What programs in the copy find in their environment. */
  env: Record<string, string>
  /** `node <args>` in the copy, such as `run(['scripts/crossdock.ts', 'tenant', 'list'], env)`. */
  run: (args: string[], env?: Record<string, string>, input?: string) => Promise<Finished>
  wrangler: (args: string[], env?: Record<string, string>, input?: string) => Promise<Finished>
  read: (path: string) => Promise<string>
  write: (path: string, content: string) => Promise<void>
  remove: () => Promise<void>
}

const ROOT = resolve(import.meta.dirname, '../..')
const COPIED = ['src', 'scripts', 'migrations', 'wrangler.toml', 'package.json']
// Made once, by test/served/build.ts: no deployment of the tests has to make them again.
const ASSETS = 'dist/assets'
const BUILD_ASSETS = 'command = "node scripts/crossdock.ts assets"'

// Not those of the project, where operators put a domain of theirs and tenants.
const ENVIRONMENTS = ['staging', 'production']
  .map((name) => {
    const domain = name === 'production' ? 'crossdock.example' : `${name}.crossdock.example`
    return `[env.${name}]
routes = [{ pattern = "*.${domain}/*", zone_name = "crossdock.example" }]

[env.${name}.vars]
BASE_DOMAIN = "${domain}"

# A cache.
[[env.${name}.kv_namespaces]]
binding = "KEYS"

[[env.${name}.r2_buckets]]
binding = "DOCUMENTS"
bucket_name = "crossdock-${name}-documents"

[[env.${name}.durable_objects.bindings]]
name = "RATE_LIMITER"
class_name = "RateLimiter"

[[env.${name}.ratelimits]]
name = "FAILED_LOOKUPS"
namespace_id = "${name === 'production' ? 2 : 1}"
simple = { limit = 99, period = 60 }

[[env.${name}.analytics_engine_datasets]]
binding = "METRICS"
dataset = "crossdock_${name}"
`
  })
  .join('\n')

/** A copy of the project to run its programs in; nothing that they write stays or gets elsewhere. */
export async function startProject(): Promise<Project> {
  const home = await mkdtemp(join(tmpdir(), 'project-'))
  const folder = join(home, 'crossdock')
  await mkdir(folder)
  await Promise.all([
    ...[...COPIED, 'tsconfig.json', ASSETS].map((path) =>
      cp(join(ROOT, path), join(folder, path), { recursive: true }),
    ),
    symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules')),
  ])
  const config = await readFile(join(folder, 'wrangler.toml'), 'utf8')
  const [shared = ''] = config.replace(BUILD_ASSETS, 'command = "true"').split(/^\[+env\./m)
  await writeFile(join(folder, 'wrangler.toml'), shared + ENVIRONMENTS)
  const router = await readFile(join(ROOT, 'wrangler.router.toml'), 'utf8')
  const [head = ''] = router.split(/^\[+env\./m)
  await writeFile(join(folder, 'wrangler.router.toml'), head)
  const bin = join(folder, 'node_modules/.bin')
  const quiet = quietly(home, bin)
  const run: Project['run'] = async (args, env = {}, input = '') => {
    const options = { cwd: folder, env: { ...quiet, ...env }, stdio: 'pipe' } as const
    const ended = await finished(spawn(process.execPath, args, options), input)
    lookAtOutput(outgoing, args, ended)
    return ended
  }
  return {
    folder,
    env: quiet,
    run,
    wrangler: (args, env, input) => run([join(bin, 'wrangler'), ...args], env, input),
    read: (path) => readFile(join(folder, path), 'utf8'),
    write: (path, content) => writeFile(join(folder, path), content),
    remove: async () => {
      await lookInFiles(outgoing, home)
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** The whole environment of a child: nothing of ours that could sign it in somewhere. */
function quietly(home: string, bin: string): Record<string, string> {
  return {
    PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    TMPDIR: home,
    CI: '1',
    // Wrangler is a file of 15 MB: a quarter of its start is reading it. One run compiles it for all.
    NODE_COMPILE_CACHE: join(ROOT, 'dist/compiled'),
    WRANGLER_CACHE_DIR: join(home, 'cache'),
    WRANGLER_LOG_PATH: join(home, 'logs'),
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_SEND_ERROR_REPORTS: 'false',
    WRANGLER_HIDE_BANNER: 'true',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    NO_COLOR: '1',
  }
}

async function finished(child: ChildProcess, input: string): Promise<Finished> {
  const { stdin, stdout, stderr } = child
  if (!stdin || !stdout || !stderr) throw new Error('The child has no pipes.')
  stdin.end(input)
  const exit = new Promise<number | null>((fulfil, reject) => {
    child.once('error', reject)
    child.once('exit', fulfil)
  })
  const [code, out, err] = await Promise.all([exit, text(stdout), text(stderr)])
  return { code, stdout: out, stderr: err }
}
