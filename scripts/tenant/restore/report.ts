import { type Environment, flagOf } from '../environment.ts'
import type { KeyChanges } from './keys.ts'
import type { Plan } from './plan.ts'

interface Outcome {
  integration_enabled: boolean
  keys: KeyChanges | null
  live_keys: { id: string; name: string }[] | null
  requests: { count: number; with_document: number; file: string } | null
  pending_migrations: string[]
}

/** What a restore did and what is left to do, for people. */
export function textOf(environment: Environment, plan: Plan): string {
  const { tenant, source, since, undo } = plan
  const outcome = plan.result as unknown as Outcome
  const flag = flagOf(environment)
  const lines = [
    `\n${tenant} was set back to ${source}. All that it got since ${since} is undone.`,
    plan.export ? `Its data from before is in ${plan.export}.` : 'It was not exported before.',
    ...(undo ? [`To undo this, restore D1's bookmark ${undo}.`] : []),
    ...keysOf(outcome),
    ...requestsOf(outcome),
  ]
  if (outcome.pending_migrations.length > 0) {
    lines.push(
      `Migrations are pending: ${outcome.pending_migrations.join(', ')}. Now run: npm run tenant -- migrate ${tenant}${flag}`,
    )
  }
  lines.push(
    outcome.integration_enabled
      ? 'The integration is on.'
      : `The integration is off. Switch it on: npm run tenant -- restore ${tenant}${flag} --on`,
  )
  return lines.join('\n')
}

function keysOf({ keys, live_keys }: Outcome): string[] {
  if (keys === null) {
    return [
      'Which keys were revoked since is not known. Alive now: revoke those that must not be.',
      ...(live_keys ?? []).map(({ id, name }) => `  ${id}  ${name}`),
    ]
  }
  return [
    ...listed('Keys revoked again:', keys.revoked_again),
    ...listed('Keys that end again when they were to end:', keys.shortened_again),
    ...listed('Keys made since are gone; whoever uses them needs new ones:', keys.gone),
    ...listed('Keys whose settings are as they were:', keys.changed_back),
  ]
}

function requestsOf({ requests }: Outcome): string[] {
  if (requests === null) return []
  const { count, with_document, file } = requests
  if (count === 0) return ['No request is undone.']
  return [
    `Requests that are undone: ${count}, of which a document is kept: ${with_document}. They are in ${file}.`,
  ]
}

function listed(
  heading: string,
  keys: { id: string; name: string; fields?: string[] }[],
): string[] {
  if (keys.length === 0) return []
  const fieldsOf = (fields?: string[]) => (fields ? `: ${fields.join(', ')}` : '')
  return [heading, ...keys.map(({ id, name, fields }) => `  ${id}  ${name}${fieldsOf(fields)}`)]
}
