import { Failure } from '../../failure.ts'
import { addLocalSecret, localSecretNames, SECRETS_FILE } from '../../local/secrets.ts'
import { nextWebhookKey, webhookKeysAmong } from '../../secrets.ts'
import type { Command, Result } from '../command.ts'
import type { Environment } from '../environment.ts'
import { step } from '../progress.ts'
import { putSecrets, secretNames } from '../secrets.ts'

/** What one Worker gets. */
interface Rotation {
  group: Environment
  /** The Worker, or the file of this machine. */
  where: string
  secret: string
  /** The keys that it has, the oldest first. */
  older: string[]
}

export const rotateWebhookKey: Command = {
  parameters: '',
  summary: 'add the next key that encrypts the secrets of webhooks; the older ones still decrypt',
  options: ['dry-run'],
  run: async (environment, _, options) => {
    const rotations: Rotation[] = []
    for (const group of environment.groups) rotations.push(await rotationOf(group))
    if (options['dry-run']) return resultOf(environment, rotations, true)
    await rotateAll(rotations)
    return resultOf(environment, rotations, false)
  },
}

async function rotationOf(group: Environment): Promise<Rotation> {
  const isLocal = group.name === null
  const names = isLocal ? await localSecretNames() : await secretNames(group)
  if (names === null) {
    throw new Failure(
      `${group.worker} must be deployed first, which gives it its first key: npm run deploy -- --env ${group.name}`,
    )
  }
  const where = isLocal ? SECRETS_FILE : group.worker
  return { group, where, secret: nextWebhookKey(names), older: webhookKeysAmong(names) }
}

/** One after the other. Throws a Failure with the commands for those that are left. */
async function rotateAll(rotations: Rotation[]): Promise<void> {
  for (const [index, { group, where, secret }] of rotations.entries()) {
    try {
      await step(`Adding ${secret} to ${where}`, () =>
        group.name === null ? addLocalSecret(secret) : putSecrets(group, [secret]),
      )
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      throw new Failure([error.message, ...leftOf(rotations, index)].join('\n'), error.exitCode)
    }
  }
}

/** The whole command once more would rotate twice where it is done. */
function leftOf(rotations: Rotation[], failed: number): string[] {
  if (failed === 0) return []
  const done = rotations.slice(0, failed).map(({ where }) => where)
  const commands = rotations
    .slice(failed)
    .map(({ group }) => `  npm run tenant -- rotate-webhook-key --env ${group.name}`)
  return [`Done: ${done.join(', ')}. Fix the cause and run for the others:`, ...commands]
}

function resultOf(environment: Environment, rotations: Rotation[], isDry: boolean): Result {
  const json = {
    environment: environment.name,
    ...(isDry && { dry_run: true }),
    rotated: rotations.map(({ where, secret, older }) => ({ worker: where, secret, older })),
  }
  if (isDry) {
    const lines = rotations.map(({ where, secret }) => `  add ${secret} to ${where}`)
    return { text: ['Dry run: nothing was changed. This would:', ...lines].join('\n'), json }
  }
  const text = [...rotations.map(lineOf), '', ...nextSteps(environment, rotations)].join('\n')
  return { text, json }
}

function lineOf({ where, secret, older }: Rotation): string {
  const keep = older.length > 0 ? ` Keep ${older.join(', ')} as well.` : ''
  return `${where} has ${secret}.${keep}`
}

function nextSteps({ name }: Environment, rotations: Rotation[]): string[] {
  const isFirst = rotations.every(({ older }) => older.length === 0)
  return [
    'It encrypts the secrets of webhooks that are stored from now on.',
    ...(isFirst
      ? []
      : [
          'Those that are stored already are still decrypted with the key that encrypted them. The daily work encrypts them anew.',
          'Delete no key that "npm run tenant -- list" still names: its secrets would have to be entered again.',
        ]),
    name === null
      ? 'A running npm start takes it at its next start.'
      : 'A rollback to a version from before will be refused, as that version lacks the new key.',
  ]
}
