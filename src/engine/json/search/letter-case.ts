/** With so many letters beyond ASCII, each is looked for in both cases: 16 texts. */
export const LETTERS_MAX = 4

/**
 * The texts to look for with COLLATE NOCASE, which knows the two cases of A-Z only. With at most four other letters
 * that have two cases: all combinations. With more: as it is, small, capital, and with a capital at the beginning of
 * each word.
 */
export function caseVariants(text: string): string[] {
  const characters = [...text]
  const forms = characters.map(formsOf)
  const letters = forms.filter(({ length }) => length > 1)
  return letters.length <= LETTERS_MAX ? combinations(forms) : usualForms(text, characters)
}

/** The character, and its other case if that is one character too and A-Z in either case does not cover it. */
function formsOf(character: string): string[] {
  if (character <= '\u007f') return [character]
  const others = [character.toLowerCase(), character.toUpperCase()]
  const forms = new Set([character, ...others.filter((other) => [...other].length === 1)])
  // A letter with a title case too has three forms.
  return [...forms].slice(0, 2)
}

function combinations(forms: string[][]): string[] {
  return forms.reduce(
    (texts, some) => texts.flatMap((text) => some.map((form) => text + form)),
    [''],
  )
}

function usualForms(text: string, characters: string[]): string[] {
  const small = characters.map((one) => onlyOne(one, one.toLowerCase()))
  const capital = characters.map((one) => onlyOne(one, one.toUpperCase()))
  const words = small.map((one, at) =>
    at === 0 || !/[\p{L}\p{M}\p{N}]/u.test(small[at - 1] ?? '') ? (capital[at] ?? one) : one,
  )
  return [...new Set([text, small.join(''), capital.join(''), words.join('')])]
}

function onlyOne(character: string, form: string): string {
  return [...form].length === 1 ? form : character
}
