import { readFile, rename, writeFile } from 'node:fs/promises'
import { Failure } from '../failure.ts'
import {
  CONFIG,
  type Environment,
  findTenant,
  openEnvironment,
  type Tenant,
} from './environment.ts'

/** Appends the tenant's block to wrangler.toml; nothing else in the file is touched. */
export async function addBlock({ name }: Environment, tenant: Tenant): Promise<void> {
  const block = [
    headerOf(name),
    `binding = "${tenant.binding}"`,
    `database_name = "${tenant.database_name}"`,
    `database_id = "${tenant.database_id}"`,
    'migrations_dir = "migrations"',
  ]
  await change(
    name,
    (text) => `${text.trimEnd()}\n\n${block.join('\n')}\n`,
    (after) => findTenant(after, tenant.slug)?.database_id === tenant.database_id,
  )
}

/** Takes the tenant's block out: its header and the lines below it up to a blank one or a comment. */
export async function removeBlock({ name }: Environment, tenant: Tenant): Promise<void> {
  await change(
    name,
    (text) => withoutBlock(text, headerOf(name), tenant.binding),
    (after) => findTenant(after, tenant.slug) === undefined,
  )
}

function headerOf(name: string | null): string {
  return name === null ? '[[d1_databases]]' : `[[env.${name}.d1_databases]]`
}

/** Rewrites the file at once and reads it again; where it does not say what it should, it is put back. */
async function change(
  name: string | null,
  edit: (text: string) => string,
  isDone: (after: Environment) => boolean,
): Promise<void> {
  const before = await readFile(CONFIG, 'utf8')
  await replace(edit(before))
  const done = await openEnvironment(name).then(isDone, () => false)
  if (done) return
  await replace(before)
  throw new Failure(`${CONFIG} is not written as expected, and is left as it was: edit it by hand.`)
}

/** Whoever reads meanwhile, such as a running server, sees the old file or the new one. */
async function replace(text: string): Promise<void> {
  const draft = `${CONFIG}.${process.pid}.tmp`
  await writeFile(draft, text)
  await rename(draft, CONFIG)
}

function withoutBlock(text: string, header: string, binding: string): string {
  const lines = text.split('\n')
  for (const [start, line] of lines.entries()) {
    if (line.replaceAll(' ', '') !== header) continue
    const length = lines.slice(start + 1).findIndex((next) => !/^\s*\w+\s*=/.test(next))
    const end = length < 0 ? lines.length : start + 1 + length
    const isMeant = lines.slice(start, end).some((own) => bindingIn(own) === binding)
    if (!isMeant) continue
    const blank = lines[start - 1]?.trim() === '' ? 1 : 0
    return lines.toSpliced(start - blank, end - start + blank).join('\n')
  }
  return text
}

function bindingIn(line: string): string | undefined {
  return /^\s*binding\s*=\s*["']([^"']*)["']/.exec(line)?.[1]
}
