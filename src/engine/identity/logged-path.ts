import { hideKeys } from './key.ts'
import { withoutAddress } from './webhook-address.ts'

const PATH_LENGTH_MAX = 2000

/** The path for the log: percent-encoding normalized, keys and addresses of webhooks hidden, at most 2,000 characters. */
export function loggedPath({ pathname }: URL): string {
  return withoutAddress(hideKeys(normalize(pathname))).slice(0, PATH_LENGTH_MAX)
}

/** Normalizes percent-encoding (RFC 3986, 6.2.2), so that a route has one path in the log. */
function normalize(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase()
  })
}
