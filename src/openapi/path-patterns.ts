import { DEPTH_MAX, plainBut, QUOTED, TARGET_DEPTH_MAX } from '../engine/json/path.ts'

// The syntax of paths (src/engine/json/path.ts) for validators of all kinds. Not how many wildcards a path may have,
// which names are never taken, and that `$header['A']` has nothing below it.

/** Behind the beginning of a filter: what else a pattern could say takes a validator exponential time. */
const FILTER = String.raw`\[[ \t\n\r]*\?[\s\S]+\][\s\S]*`

export const TARGET_PATH = `^${pathOf('', TARGET_DEPTH_MAX)}$`

/** Without filters: a place that is redacted does not depend on what a document says. */
export const REDACTED_PATH = `^(?:${pathOf('-1|')}|${inArray()})$`

/** The name of a member, or elements that a filter chooses. */
const LAST = String.raw`(?:\[\*\]~|${FILTER})`

export const SOURCE_PATH = `^(?:(?:${pathOf('-1|')}|${inArray()})${LAST}?|\\$${LAST})$`

/** `indexes` are alternatives to the indexes from 0 to 999. */
function pathOf(indexes: string, depthMax = DEPTH_MAX): string {
  const plain = plainBut('')
  // A "$" stands for the document unless it is part of a name. What begins with "/" or "#/" is a JSON pointer, which is
  // refused (src/engine/json/pointer.ts). The pattern has no lookahead, because many validators do not know it.
  const name = String.raw`(?:(?:${plainBut('$#/')}|\$${plain})${plain}*|#(?:${plainBut('/')}${plain}*)?)`
  return String.raw`(?:\$\.${plain}+|\$?${QUOTED}|${name})${stepsOf(indexes, depthMax)}`
}

/** A path in a document that is an array. */
function inArray(): string {
  return String.raw`\$${elementOf('-1|')}${stepsOf('-1|')}`
}

function stepsOf(indexes: string, depthMax = DEPTH_MAX): string {
  const step = String.raw`(?:\.${plainBut('')}+|${QUOTED}|${elementOf(indexes)})`
  return `${step}{0,${depthMax - 1}}`
}

function elementOf(indexes: string): string {
  return String.raw`\[(?:\*|${indexes}0|[1-9]\d{0,2})?\]`
}
