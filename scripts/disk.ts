import { Failure } from './failure.ts'

const REASONS: Record<string, string> = {
  EACCES: 'you have no permission',
  EEXIST: 'there is already a file of that name',
  EDQUOT: 'your share of the disk is used up',
  EFBIG: 'it would be larger than files may be',
  EIO: 'the disk failed',
  EISDIR: 'it is a folder',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is not a folder',
  ENOTEMPTY: 'it is a folder that is not empty',
  EPERM: 'you have no permission',
  EROFS: 'the disk can only be read',
}

// https://www.sqlite.org/rescode.html; the low byte is the kind of error.
const SQLITE_REASONS: Record<number, string> = {
  8: 'it can only be read',
  10: 'the disk failed',
  13: 'the disk is full',
  14: 'it cannot be opened',
}

/** The error as a Failure in one line if a file could not be read or written; every other error as it is. */
export function withoutDiskErrors(error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error
  const reason = REASONS[String(error.code)]
  // A program that cannot be started has a code of the same names.
  if (!reason || String(error.syscall).startsWith('spawn')) return error
  const file = 'path' in error ? String(error.path) : 'A file'
  const verb = /^(?:read|scandir|stat|lstat|access)$/.test(String(error.syscall))
    ? 'read'
    : 'written'
  return new Failure(`${file} cannot be ${verb}: ${reason} (${error.code}).`)
}

/** The same of an SQLite database in a file. */
export function withoutSqliteErrors(file: string, error: unknown): unknown {
  if (!(error instanceof Error && 'errcode' in error)) return error
  const reason = SQLITE_REASONS[Number(error.errcode) & 0xff]
  return reason ? new Failure(`${file} cannot be written: ${reason}.`) : error
}
