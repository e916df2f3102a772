import { readFile, stat, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Failure } from '../../failure.ts'
import type { Dump } from '../loaded-dump.ts'
import { withoutNul } from './cut-texts.ts'
import { dumpSql } from './sql.ts'

// SQLite needs the SQL as one JavaScript string, which can hold little more.
const BYTES_MAX = 500_000_000

/** Writes the dump to a file that only its owner can read, because it holds customers' data. */
export async function writeDump(dump: Dump, file: string): Promise<void> {
  await writeFile(
    file,
    dumpSql(dump).map((statement) => `${statement};\n`),
    { mode: 0o600 },
  )
}

/** The text of an SQL file, which may be compressed (`.gz`). After loading, `restoreNul` must correct it. */
export async function readSql(file: string): Promise<string> {
  const found = await stat(file).catch(() => null)
  if (!found?.isFile()) throw new Failure(`There is no file ${file}.`, 2)
  if (found.size > BYTES_MAX) {
    throw new Failure(
      `${file} is larger than ${BYTES_MAX / 1_000_000} MB: docs/operations.md says how to move such a tenant.`,
    )
  }
  const bytes = await readFile(file)
  return withoutNul((file.endsWith('.gz') ? await unzipped(file, bytes) : bytes).toString('utf8'))
}

async function unzipped(file: string, bytes: Buffer): Promise<Buffer> {
  return await promisify(gunzip)(bytes, { maxOutputLength: BYTES_MAX }).catch((error: Error) => {
    throw new Failure(`${file} cannot be unpacked: ${error.message}.`)
  })
}
