const [QUOTE, BACKSLASH] = [0x22, 0x5c]

/** A double keeps every number of so many digits. */
export const DIGITS_SAFE = 15

/** The place of the quote that ends the text which begins at `start`, in the bytes of a JSON text. */
export function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}
