import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { ACCOUNT, type Account } from './account.ts'
import {
  type Call,
  type Endpoint,
  endpoint,
  formOf,
  jsonOf,
  Misunderstood,
  Refusal,
  success,
} from './call.ts'

const Session = z.strictObject({
  manifest: z.record(
    z.string().startsWith('/'),
    z.strictObject({ hash: z.string().regex(/^[0-9a-f]{32}$/), size: z.int().min(0) }),
  ),
})

type Manifest = z.infer<typeof Session>['manifest']

interface Upload {
  script: string
  manifest: Manifest
  /** Hashes that are yet to come. */
  missing: Set<string>
}

const BUCKET = 20

/** Static files come in sessions: first the list, then those that nobody has sent before. */
export class AssetUploads {
  readonly #account: Account
  readonly #folder: string
  /** By their token: it opens the upload, and says in the end that all is there. */
  readonly #uploads = new Map<string, Upload>()

  constructor(account: Account, folder: string) {
    this.#account = account
    this.#folder = folder
  }

  endpoints(): Endpoint[] {
    return [
      endpoint(
        'assets.session',
        'POST',
        '/accounts/:account/workers/scripts/:script/assets-upload-session',
        (call) => this.#start(call),
      ),
      {
        kinds: ['assets.upload'],
        method: 'POST',
        path: '/client/v4/accounts/:account/workers/assets/upload',
        signed: true,
        handle: (call) => this.#receive(call),
      },
    ]
  }

  /** Writes the session's files into a folder of their own; gives the folder. */
  async written(script: string, token: string, more: Record<string, string>): Promise<string> {
    const upload = this.#uploads.get(token)
    if (upload?.script !== script || upload.missing.size > 0) {
      throw new Misunderstood('assets.jwt is of no finished upload for this Worker')
    }
    const directory = join(this.#folder, crypto.randomUUID())
    await mkdir(directory, { recursive: true })
    const files = Object.entries(upload.manifest).map(
      ([path, { hash }]) => [path, this.#account.files.get(hash) ?? ''] as const,
    )
    await Promise.all(
      [...files, ...Object.entries(more)].map(async ([path, contents]) => {
        const file = join(directory, path)
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, contents)
      }),
    )
    return directory
  }

  #start(call: Call): Response {
    const { manifest } = jsonOf(call, Session)
    const hashes = new Set(Object.values(manifest).map(({ hash }) => hash))
    const missing = new Set([...hashes].filter((hash) => !this.#account.files.has(hash)))
    const token = tokenOf()
    this.#uploads.set(token, { script: call.params.script ?? '', manifest, missing })
    const buckets: string[][] = []
    for (const hash of missing) {
      const last = buckets.at(-1)
      if (last && last.length < BUCKET) last.push(hash)
      else buckets.push([hash])
    }
    return success({ jwt: token, buckets })
  }

  async #receive(call: Call): Promise<Response> {
    if (call.params.account !== ACCOUNT.id) throw new Refusal(403, 10000, 'Authentication error')
    if (call.query.get('base64') !== 'true') throw new Misunderstood('files are sent as base64')
    const token = (call.headers.get('authorization') ?? '').replace(/^Bearer /, '')
    const upload = this.#uploads.get(token)
    if (!upload) throw new Refusal(401, 10000, 'Authentication error')
    for (const [hash, part] of await formOf(call)) {
      const announced = Object.values(upload.manifest).find((file) => file.hash === hash)
      if (!announced || typeof part === 'string') throw new Misunderstood(`no file ${hash} here`)
      const contents = Buffer.from(await part.text(), 'base64')
      if (contents.length !== announced.size) throw new Misunderstood(`${hash} is of another size`)
      this.#account.files.set(hash, contents)
      upload.missing.delete(hash)
    }
    const done = upload.missing.size === 0
    return success({ jwt: done ? token : null, buckets: null })
  }
}

/** In the form of a JSON Web Token: wrangler looks into it for the end of its time. */
function tokenOf(): string {
  const claims = { exp: Math.floor(Date.now() / 1000) + 3600, jti: crypto.randomUUID() }
  const parts = [{ alg: 'none' }, claims].map((part) => JSON.stringify(part))
  return [...parts, 'unsigned'].map((part) => Buffer.from(part).toString('base64url')).join('.')
}
