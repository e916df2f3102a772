// Programs that show or copy a code change these, and nobody sees it.
const INVISIBLE = /(?!\s)[\p{Cc}\p{Cf}]|\ufeff/gu
const BEGINNING_OF_WORD = /(?<![\p{L}\p{M}\p{N}])\p{L}/gu

const UNICODE_FORMS = ['NFC', 'NFD', 'NFKC'] as const

/** Each takes one difference away, in this order. */
const DIFFERENCES: readonly [what: string, without: (text: string) => string][] = [
  ['characters that are not visible', (text) => text.replace(INVISIBLE, '')],
  ['Unicode form', (text) => text.replace(/\S+/gu, (word) => word.normalize('NFKC'))],
  ['white space', (text) => text.replace(/[^\S\ufeff]+/gu, '')],
  ['letter case', (text) => text.toLowerCase()],
]

/**
 * Other ways to write the code, the nearest first: without invisible characters and with other white space, each in
 * the Unicode forms, each in small letters, in capitals, and with a capital at the beginning of each word. At most 64.
 */
export function nearForms(code: string): string[] {
  const visible = code.replace(INVISIBLE, '').trim()
  const spaced = [
    visible,
    visible.replace(/\s/gu, ' '),
    visible.replace(/\s+/gu, ' '),
    visible.replace(/\s+/gu, ''),
  ]
  const written = spaced.flatMap((text) => [
    text,
    ...UNICODE_FORMS.map((form) => text.normalize(form)),
  ])
  const small = written.map((text) => text.toLowerCase())
  const capital = written.map((text) => text.toUpperCase())
  const words = small.map((text) =>
    text.replace(BEGINNING_OF_WORD, (letter) => letter.toUpperCase()),
  )
  const forms = new Set([...written, ...capital, ...small, ...words])
  forms.delete(code)
  return [...forms]
}

/** In what one code differs from another of its near forms: `letter case and white space at the end`. */
export function differenceOf(code: string, other: string): string {
  const needed = DIFFERENCES.filter((left) => {
    const others = DIFFERENCES.filter((difference) => difference !== left)
    const plain = (text: string) => others.reduce((rest, [, without]) => without(rest), text)
    return plain(code) !== plain(other)
  }).map(([what]) => what)
  if (needed.length === 1 && needed[0] === 'white space')
    return `white space ${placeOf(code, other)}`
  return needed.length === 0 ? 'how it is written' : needed.join(' and ')
}

function placeOf(code: string, other: string): string {
  if (code.trimEnd() === other) return 'at the end'
  if (code.trimStart() === other) return 'at the beginning'
  return code.trim() === other ? 'at both ends' : 'within it'
}
