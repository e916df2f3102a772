import { tenantOfBinding } from '../../src/engine/identity/binding.ts'
import { missingSecrets } from '../secrets.ts'
import type { Pending } from './deployment.ts'
import type { Binding, Environment } from './environment.ts'
import { say } from './progress.ts'
import { currentTag, servingVersion, shownTag, targetOf } from './versions.ts'

const UNKNOWN = 'a version without a tag'

/** Lines on what a deployment from this folder would change. Reads only. */
export async function planOf(environment: Environment, pending: Pending[]): Promise<string[]> {
  const serving = await servingVersion(environment)
  const next = shownTag(await currentTag())
  const before = serving ? (serving.tag ? shownTag(serving.tag) : UNKNOWN) : 'nothing'
  const behind = pending.map(({ slug, files }) => `${slug} lacks ${files.join(', ')}`)
  const count = environment.tenants.length
  const migrations =
    behind.length > 0
      ? behind
      : [`none is pending for ${count} ${count === 1 ? 'tenant' : 'tenants'}`]
  return [
    `version     ${before} -> ${next}`,
    ...migrations.map((line) => `migrations  ${line}`),
    ...bindingLines(serving?.bindings ?? [], environment.bindings).map(
      (line) => `bindings    ${line}`,
    ),
    ...secretLines(serving?.bindings ?? []).map((line) => `secrets     ${line}`),
  ]
}

export function tell(lines: string[]): void {
  for (const line of lines) say(`  ${line}`)
}

/** Nothing, if the Worker has all. */
function secretLines(bindings: Binding[]): string[] {
  const names = bindings.filter(({ type }) => type === 'secret_text').map(({ name }) => name)
  const missing = missingSecrets(names).map(({ name }) => name)
  return missing.length > 0 ? [`adds ${missing.join(', ')}`] : []
}

/** Secrets are not in wrangler.toml: `secretLines` has them. */
function bindingLines(before: Binding[], after: Binding[]): string[] {
  const kept = before.filter(({ type }) => type !== 'secret_text')
  const [old, next] = [byName(kept), byName(after)]
  const added = after.filter(({ name }) => !old.has(name))
  const gone = kept.filter(({ name }) => !next.has(name))
  const changed = after.filter(({ name }) => old.has(name) && old.get(name) !== next.get(name))
  const lines = [lineOf('adds', added), lineOf('changes', changed), lineOf('takes away', gone)]
  const told = lines.filter((line) => line !== null)
  return told.length > 0 ? told : ['stay as they are']
}

function byName(bindings: Binding[]): Map<string, string> {
  return new Map(bindings.map((binding) => [binding.name, targetOf(binding)]))
}

function lineOf(verb: string, bindings: Binding[]): string | null {
  if (bindings.length === 0) return null
  const names = bindings.map(({ type, name }) => {
    const slug = type === 'd1' ? tenantOfBinding(name) : null
    return slug === null ? name : `${name} (tenant ${slug})`
  })
  return `${verb} ${names.join(', ')}`
}
