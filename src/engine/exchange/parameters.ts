import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'
import type { FieldErrors } from '../errors.ts'
import { shortened } from '../json/messages.ts'
import { nearestName } from '../json/nearest-name.ts'
import { appendName } from '../json/path.ts'
import { UNUSED_MAX, type Warning, withoutEffect } from '../json/warnings.ts'
import { DRY_RUN_NAME } from './dry-run.ts'

const NAMED_MAX = 20
const UNKNOWN = 'Unknown query parameter'
const NO_DRY_RUN = 'Only POST, PUT and DELETE have a dry run'

/** A warning for each query parameter that the endpoint does not know. None for requests without a key. */
export function unknownParameters(c: Context<AppEnv>): Warning[] {
  if (!c.get('exchange').caller) return []
  return unknownNames(c)
    .slice(0, UNUSED_MAX)
    .map((name) => withoutEffect(appendName('', name), reasonFor(name)))
}

/** An error for each query parameter that a list does not know: without its effect, the list would be a wrong one. */
export function unknownToList(c: Context<AppEnv>): FieldErrors {
  const known = c.get('parameters')
  const takes = known.length > 0 ? `This path takes ${known.join(', ')}.` : 'This path takes none.'
  const unknown = unknownNames(c)
  const faults = unknown.slice(0, NAMED_MAX).map((name) => {
    const nearest = nearestName(name, known)
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`
    return [shortened(appendName('', name)), [`${reasonFor(name)}.${hint} ${takes}`]]
  })
  const more = unknown.length - NAMED_MAX
  if (more > 0) faults.push(['parameters', [`${more} more are unknown.`]])
  return Object.fromEntries(faults)
}

function unknownNames(c: Context<AppEnv>): string[] {
  const { url } = c.get('exchange')
  const known = c.get('parameters')
  return [...new Set(url.searchParams.keys())].filter((name) => !known.includes(name))
}

function reasonFor(name: string): string {
  return name === DRY_RUN_NAME ? NO_DRY_RUN : UNKNOWN
}
