import { isObject } from '../json/json-object.ts'
import { pointerFault } from '../json/pointer.ts'
import type { RuleFault } from './rules.ts'

/** Rules with a path that is written as a JSON pointer. */
export function pointerFaults(fields: Record<string, unknown>): RuleFault[] {
  return Object.entries(fields).flatMap(([rule, saved]) => {
    const message = messageFor('target', [rule]) ?? messageFor('source', sourcesOf(saved))
    return message === null ? [] : [{ rule, message }]
  })
}

/** The same of the paths of `records`. Null if none is a pointer. */
export function pointerOfRecords(saved: unknown): string | null {
  const { each, group_by } = isObject(saved) ? saved : {}
  return messageFor('path', textsIn([each, group_by]))
}

function messageFor(what: string, texts: string[]): string | null {
  const [first] = texts.flatMap((text) => {
    const fault = pointerFault(text)
    return fault === null ? [] : [`The ${what} "${text}" ${fault}`]
  })
  return first ?? null
}

function sourcesOf(saved: unknown): string[] {
  if (!isObject(saved)) return textsIn([saved])
  const { from, join, each, less, times } = saved
  const parts = [join].flat().map((part) => (isObject(part) ? part.pair : part))
  return textsIn([from, parts, each, less, times])
}

function textsIn(lists: unknown[]): string[] {
  return lists.flat(3).filter((text) => typeof text === 'string')
}
