const ADDRESS = /^\/webhooks\/v1\/([^/]+)\/?$/

/** The key in the address of a webhook; undefined if the address is of another form. */
export function tokenIn({ pathname }: URL): string | undefined {
  return ADDRESS.exec(pathname)?.[1]
}

const FOLDER = '/webhooks/'
const VERSION = `${FOLDER}v1/`
const HINT = /^x[dh]_[a-z][a-z0-9-]*_….{4}\/?$/

/** Whether a request with this path is a delivery, or was to be one. */
export function isDelivery(path: string): boolean {
  return path.startsWith(FOLDER)
}

/**
 * The path of a request, whose keys are hidden, without what may be a mistyped or broken address: a key that lacks one
 * character is still a secret.
 */
export function withoutAddress(path: string): string {
  if (!isDelivery(path)) return path
  const folder = path.startsWith(VERSION) ? VERSION : FOLDER
  const rest = path.slice(folder.length)
  return rest === '' || HINT.test(rest) ? path : `${folder}…`
}
