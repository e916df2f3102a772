import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../failure.ts'
import { CONFIG } from '../config-file.ts'
import { type Environment, placeOf } from '../environment.ts'
import { withObjects } from '../objects.ts'

// No slug begins with it, so no tenant's objects are among them.
export const PREFIX = '_backups/'

/** Where the files of a backup are: a folder of this machine or of the environment's bucket. */
export interface Place {
  /** For messages, such as `backups/2026-11-23T03-00-00Z`. */
  title: string
  /** Null if there is no such file. */
  read: (file: string) => Promise<Uint8Array<ArrayBuffer> | null>
  /** Replaces the file in one step. */
  write: (file: string, bytes: Uint8Array<ArrayBuffer>) => Promise<void>
}

/** Throws a Failure with exit code 2 if the name cannot be one, or there is no bucket. */
export function openPlace(environment: Environment, name: string, r2: boolean): Place {
  if (name === '') throw new Failure('Name a folder.', 2)
  return r2 ? bucketPlace(environment, name) : folderPlace(name)
}

function folderPlace(folder: string): Place {
  return {
    title: folder,
    read: async (file) => {
      const bytes = await readFile(join(folder, file)).catch(missing)
      return bytes && new Uint8Array(bytes)
    },
    write: async (file, bytes) => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const draft = join(folder, `${file}.part`)
      await writeFile(draft, bytes, { mode: 0o600, flush: true })
      await rename(draft, join(folder, file))
    },
  }
}

function bucketPlace(environment: Environment, name: string): Place {
  const { bucket } = environment
  if (!bucket) {
    throw new Failure(
      `There is no bucket${placeOf(environment)}: add r2_buckets to ${CONFIG}, or leave --r2 out.`,
      2,
    )
  }
  if (!/^[\w.-]+(?:\/[\w.-]+)*$/.test(name)) {
    throw new Failure(
      `"${name}" cannot be a folder of the bucket: use letters, digits, ".", "_", "-".`,
      2,
    )
  }
  const keyOf = (file: string) => `${PREFIX}${name}/${file}`
  return {
    title: `${bucket.name}/${PREFIX}${name}`,
    read: (file) => withObjects(environment, ({ get }) => get(keyOf(file))),
    write: async (file, bytes) => {
      await withObjects(environment, ({ put }) => put(keyOf(file), bytes))
    },
  }
}

function missing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}
