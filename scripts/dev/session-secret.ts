import { randomBytes } from 'node:crypto'
import { appendFile, readFile } from 'node:fs/promises'

// Wrangler gives the local Worker these as its secrets. Never in git.
const FILE = '.dev.vars'

/** A secret of its own for the dashboard's sessions on this machine, made once. */
export async function ensureSessionSecret(): Promise<void> {
  const text = await readFile(FILE, 'utf8').catch(() => '')
  if (/^\s*SESSION_SECRET\s*=/m.test(text)) return
  const separator = text === '' || text.endsWith('\n') ? '' : '\n'
  const line = `${separator}SESSION_SECRET=${randomBytes(32).toString('base64url')}\n`
  await appendFile(FILE, line, { mode: 0o600 })
}
