import { randomBytes } from 'node:crypto'
import { appendFile, readFile } from 'node:fs/promises'

// Wrangler passes these to the local Worker as secrets. Git ignores the file.
const FILE = '.dev.vars'

/** Creates the secret of the local dashboard's sessions unless there is one. */
export async function ensureSessionSecret(): Promise<void> {
  const text = await readFile(FILE, 'utf8').catch(() => '')
  if (/^\s*SESSION_SECRET\s*=/m.test(text)) return
  const separator = text === '' || text.endsWith('\n') ? '' : '\n'
  const line = `${separator}SESSION_SECRET=${randomBytes(32).toString('base64url')}\n`
  await appendFile(FILE, line, { mode: 0o600 })
}
