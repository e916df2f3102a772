import { type Path, PathError, type PathRules, parsePath } from '../json/path.ts'
import { namesSecret, SENT_NAME_LENGTH_MAX, SentValue } from '../json/sent-with.ts'
import { RuleError } from './rule-error.ts'

/** Parses a path of the source document. Throws RuleError. */
export function sourcePath(text: string, rules: PathRules = {}): Path {
  // Whether it goes through one array too many, rules.ts knows.
  const path = parsedPath(`The source "${text}"`, text, {
    ...rules,
    isSource: true,
    mayHaveRecords: true,
  })
  const [first] = path
  if (first instanceof SentValue) checkSentValue(text, first)
  return path
}

function checkSentValue(text: string, { name }: SentValue): void {
  if ([...name].length > SENT_NAME_LENGTH_MAX) {
    throw new RuleError(
      `The source "${text}" has a name of over ${SENT_NAME_LENGTH_MAX} characters.`,
    )
  }
  if (!namesSecret(name)) return
  throw new RuleError(
    `The source "${text}" has the name of a key, a password or a signature: no mapping may read it.`,
  )
}

/** Parses a path. Throws RuleError, whose message begins with `what`. */
export function parsedPath(what: string, text: string, rules?: PathRules): Path {
  try {
    return parsePath(text, rules)
  } catch (error) {
    if (!(error instanceof PathError)) throw error
    throw new RuleError(`${what} ${error.message}.`)
  }
}
