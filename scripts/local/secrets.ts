import { appendFile, readFile } from 'node:fs/promises'
import { missingSecrets, newSecret } from '../secrets.ts'

/** Wrangler passes what is in it to the local Worker as secrets. Git ignores the file. */
export const SECRETS_FILE = '.dev.vars'

/** Creates the secrets of the local Worker that are missing. */
export async function ensureLocalSecrets(): Promise<void> {
  for (const { name } of missingSecrets(await localSecretNames())) await addLocalSecret(name)
}

export async function localSecretNames(): Promise<string[]> {
  return [...(await readSecrets()).matchAll(/^\s*(\w+)\s*=/gm)].map(([, name = '']) => name)
}

/** Adds the secret, which must not be there, with a new value. */
export async function addLocalSecret(name: string): Promise<void> {
  const text = await readSecrets()
  const separator = text === '' || text.endsWith('\n') ? '' : '\n'
  await appendFile(SECRETS_FILE, `${separator}${name}=${newSecret()}\n`, { mode: 0o600 })
}

function readSecrets(): Promise<string> {
  return readFile(SECRETS_FILE, 'utf8').catch(() => '')
}
