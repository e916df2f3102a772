import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withoutDiskErrors, withoutSqliteErrors } from '../../scripts/disk.ts'
import { Failure } from '../../scripts/failure.ts'
import { refuseUnfit } from '../../scripts/tenant/dump/verified-export.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'disk-'))
  await writeFile(join(folder, 'file'), '')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

describe('an error of the disk', () => {
  it('is one line that names the file and the reason', async () => {
    for (const [file, reason] of [
      ['missing/x', 'there is no such file or folder (ENOENT)'],
      ['file/x', 'a part of its path is not a folder (ENOTDIR)'],
      ['.', 'it is a folder (EISDIR)'],
    ] as const) {
      const path = join(folder, file)
      const failure = withoutDiskErrors(await errorOf(writeFile(path, 'x')))
      expect(failure).toEqual(new Failure(`${path} cannot be written: ${reason}.`))
    }
    const full = withoutDiskErrors(await errorOf(writeFile('/dev/full', 'x')))
    expect(full).toEqual(new Failure('A file cannot be written: the disk is full (ENOSPC).'))
  })

  it('of SQLite is one too', () => {
    const file = join(folder, 'missing/x.lock')
    const open = () => new DatabaseSync(file)
    try {
      open()
    } catch (error) {
      expect(withoutSqliteErrors(file, error)).toEqual(
        new Failure(`${file} cannot be written: it cannot be opened.`),
      )
    }
    expect(open).toThrow()
  })

  it('leaves every other error as it is', () => {
    for (const error of [
      new TypeError('a bug'),
      Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' }),
      Object.assign(new Error('missing'), { code: 'ENOENT', syscall: 'spawn wrangler' }),
    ]) {
      expect(withoutDiskErrors(error)).toBe(error)
    }
  })
})

describe('the file of an export', () => {
  it('is refused before anything is done if it exists or has no folder', async () => {
    for (const [file, reason] of [
      ['file', 'already exists: name another file.'],
      ['missing/x.sql', `cannot be written: there is no folder ${folder}/missing.`],
      ['file/x.sql', `cannot be written: there is no folder ${folder}/file.`],
    ] as const) {
      const path = join(folder, file)
      await expect(refuseUnfit(path)).rejects.toEqual(new Failure(`${path} ${reason}`, 2))
    }
    await expect(refuseUnfit(join(folder, 'x.sql'))).resolves.toBeUndefined()
  })
})
