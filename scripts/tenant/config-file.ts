import { readFile, rename, writeFile } from 'node:fs/promises'
import { Failure } from '../failure.ts'
import {
  CONFIG,
  type Environment,
  findTenant,
  NAMESPACE_BINDING,
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

/** Writes the id of the environment's namespace below its binding. */
export async function addNamespaceId({ name }: Environment, id: string): Promise<void> {
  await change(
    name,
    (text) => withNamespaceId(text, headerOf(name, 'kv_namespaces'), id),
    (after) => after.namespace_id === id,
  )
}

function headerOf(name: string | null, list = 'd1_databases'): string {
  return name === null ? `[[${list}]]` : `[[env.${name}.${list}]]`
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
  const block = findBlock(lines, header, binding)
  if (!block) return text
  const blank = lines[block.start - 1]?.trim() === '' ? 1 : 0
  return lines.toSpliced(block.start - blank, block.end - block.start + blank).join('\n')
}

function withNamespaceId(text: string, header: string, id: string): string {
  const lines = text.split('\n')
  const block = findBlock(lines, header, NAMESPACE_BINDING)
  return block ? lines.toSpliced(block.end, 0, `id = "${id}"`).join('\n') : text
}

/** From the header of the block that has the binding to the line behind its last. */
function findBlock(lines: string[], header: string, binding: string) {
  for (const [start, line] of lines.entries()) {
    if (line.replaceAll(' ', '') !== header) continue
    const length = lines.slice(start + 1).findIndex((next) => !/^\s*\w+\s*=/.test(next))
    const end = length < 0 ? lines.length : start + 1 + length
    if (lines.slice(start, end).some((own) => bindingIn(own) === binding)) return { start, end }
  }
  return null
}

function bindingIn(line: string): string | undefined {
  return /^\s*binding\s*=\s*["']([^"']*)["']/.exec(line)?.[1]
}
