import { type Assets, readAsset } from '../engine/answers/asset.ts'
import { noRecord } from '../engine/errors.ts'
import { shortened } from '../engine/json/messages.ts'

/** Records that are part of the build: one file of `documents/` each, and one asset for all of them. */
export interface Shipped<Entry> {
  /** The folder in `src/settings/`, the name of the asset, and the path of the endpoints. */
  folder: string
  /** The files in `documents/`. */
  names: readonly string[]
  /** All of them, by name. 503 UNAVAILABLE if their file cannot be read. */
  list: (assets: Assets) => Promise<Entry[]>
  /** 404 NOT_FOUND if there is none of this name. */
  find: (assets: Assets, name: string) => Promise<Entry>
}

interface Kind {
  folder: string
  names: readonly string[]
  /** What messages call one of them, such as `mapping starter`. */
  called: string
}

// In the Worker's bundle the starters alone would be a fifth of it.
export function shipped<Entry extends { name: string }>({
  folder,
  names,
  called,
}: Kind): Shipped<Entry> {
  // Read once for all requests of the isolate: parsed, the starters take two megabytes.
  let known: Entry[] | null = null

  async function list(assets: Assets): Promise<Entry[]> {
    const read = (file: Response) => file.json<Entry[]>()
    known ??= await readAsset(assets, `/${folder}.json`, `The ${called}s`, read)
    return known
  }

  async function find(assets: Assets, name: string): Promise<Entry> {
    const entry = (await list(assets)).find((one) => one.name === name)
    if (entry) return entry
    throw noRecord(
      `There is no ${called} "${shortened(name)}": GET /api/settings/v1/${folder}/ lists all.`,
    )
  }

  return { folder, names, list, find }
}
