import { existsSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'smol-toml'
import type { Unstable_Config as Config, Unstable_RawConfig as RawConfig } from 'wrangler'
import { Failure } from '../failure.ts'
import { withCleanup } from './stop.ts'

/** The configuration that all commands read and change. */
export const CONFIG = ownOr('wrangler.toml')
export const ROUTER_CONFIG = ownOr('wrangler.router.toml')

/** An operator's own file if there is one, which git ignores: `wrangler.local.toml`. */
function ownOr(file: string): string {
  const own = file.replace('.toml', '.local.toml')
  return existsSync(own) ? own : file
}

/** Whether git ignores the file. */
export function isOwn(file: string): boolean {
  return file.endsWith('.local.toml')
}

/** For a command of wrangler that reads the configuration. */
export const CONFIG_OPTION = isOwn(CONFIG) ? ['--config', CONFIG] : []

type List = 'd1_databases' | 'kv_namespaces'
type Entry = Record<string, unknown> & { binding: string }
type Lists = Partial<Record<List, Entry[]>>

/** A database as wrangler.toml has it. */
export interface Block {
  binding: string
  database_name: string
  database_id: string
}

/** What stands in such a file. */
export type Raw = Record<string, unknown>

/** wrangler.toml as written. */
export async function readRaw(file = CONFIG): Promise<Raw> {
  try {
    return structuredClone(parse(await readFile(file, 'utf8')))
  } catch (error) {
    throw new Failure(`${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

/** wrangler.toml, or another: `raw` as written, `of` as wrangler resolves it for an environment (null: none). */
export async function readConfig(file = CONFIG): Promise<{
  raw: RawConfig
  of: (env: string | null) => Config
}> {
  const raw: RawConfig = await readRaw(file)
  // Loading wrangler takes two seconds of CPU, which those who read the file as written do not need.
  const wrangler = await import('wrangler')
  const of = (env: string | null) =>
    wrangler.unstable_readConfig({ config: file, ...(env && { env }) }, { hideWarnings: true })
  return { raw, of }
}

/** Appends the block of a database. Changes nothing else in the file. */
export async function addDatabase(env: string | null, block: Block): Promise<void> {
  const entry = {
    binding: block.binding,
    database_name: block.database_name,
    database_id: block.database_id,
    migrations_dir: 'migrations',
  }
  const lines = Object.entries(entry).map(([name, value]) => `${name} = "${value}"`)
  const appended = [headerOf(env, 'd1_databases'), ...lines].join('\n')
  await change(
    (text) => `${text.trimEnd()}\n\n${appended}\n`,
    (lists) => ({ ...lists, d1_databases: [...(lists.d1_databases ?? []), entry] }),
    env,
    `add\n\n${appended}`,
  )
}

/** Removes the block of a database, but not its comments. */
export async function removeDatabase(env: string | null, binding: string): Promise<void> {
  await change(
    (text) => withoutBlock(text, headerOf(env, 'd1_databases'), binding),
    (lists) => ({
      ...lists,
      d1_databases: lists.d1_databases?.filter((entry) => entry.binding !== binding) ?? [],
    }),
    env,
    `take the block of ${binding} out.`,
  )
}

/** Writes the id of a KV namespace below its binding. */
export async function addNamespaceId(env: string, binding: string, id: string): Promise<void> {
  await change(
    (text) => withId(text, headerOf(env, 'kv_namespaces'), binding, id),
    (lists) => ({
      ...lists,
      kv_namespaces:
        lists.kv_namespaces?.map((entry) =>
          entry.binding === binding ? { ...entry, id } : entry,
        ) ?? [],
    }),
    env,
    `add id = "${id}" to the block of ${binding} in ${headerOf(env, 'kv_namespaces')}.`,
  )
}

async function change(
  edit: (text: string) => string,
  changed: (lists: Lists) => Lists,
  env: string | null,
  byHand: string,
): Promise<void> {
  const isRight = (before: Raw, after: Raw) =>
    isDeepStrictEqual(
      withLists(after, env, (lists) => lists),
      withLists(before, env, changed),
    )
  await rewrite(CONFIG, edit, isRight, byHand)
}

/**
 * Rewrites the file atomically: a reader, such as a running server, sees the old file or the new one. Parses the new text
 * first. If `isRight` does not find in it what stood there before with exactly this change, leaves the file as it is and throws
 * a Failure that ends with `byHand`: what an operator is to change, such as `take the block of DB_ACME out.`
 */
export async function rewrite(
  file: string,
  edit: (text: string) => string,
  isRight: (before: Raw, after: Raw) => boolean,
  byHand: string,
): Promise<void> {
  const text = await readFile(file, 'utf8')
  const before = await readRaw(file)
  const draft = `${file}.${process.pid}.tmp`
  const removeDraft = () => rm(draft, { force: true })
  await withCleanup(removeDraft, async () => {
    await writeFile(draft, edit(text))
    const done = await readRaw(draft).then(
      (raw) => isRight(before, raw),
      () => false,
    )
    if (done) return await rename(draft, file)
    throw new Failure(
      `${file} has an unexpected layout and was not changed. Change it by hand and run this again: ${byHand}`,
    )
  })
}

/** The configuration with changed lists in the environment. Leaves empty lists out. */
function withLists(raw: Raw, env: string | null, changed: (lists: Lists) => Lists): Raw {
  if (env !== null) {
    const environments = raw.env as Record<string, Raw>
    return {
      ...raw,
      env: { ...environments, [env]: withLists(environments[env] ?? {}, null, changed) },
    }
  }
  const lists = Object.entries(changed(raw)).filter(
    ([, list]) => !Array.isArray(list) || list.length > 0,
  )
  return Object.fromEntries(lists)
}

function headerOf(env: string | null, list: List): string {
  return env === null ? `[[${list}]]` : `[[env.${env}.${list}]]`
}

function withoutBlock(text: string, header: string, binding: string): string {
  const lines = text.split('\n')
  const block = findBlock(lines, header, binding)
  if (!block) return text
  const kept = lines
    .slice(block.start, block.end)
    .filter((line) => line.trimStart().startsWith('#'))
  const blank = lines[block.start - 1]?.trim() === '' && kept.length === 0 ? 1 : 0
  return lines.toSpliced(block.start - blank, block.end - block.start + blank, ...kept).join('\n')
}

function withId(text: string, header: string, binding: string, id: string): string {
  const lines = text.split('\n')
  const block = findBlock(lines, header, binding)
  return block ? lines.toSpliced(block.end, 0, `id = "${id}"`).join('\n') : text
}

/** The lines of the block with the binding: from its header to the line after its last key. */
function findBlock(lines: string[], header: string, binding: string) {
  for (const [start, line] of lines.entries()) {
    if (line.replace(/#.*/, '').replaceAll(/\s/g, '') !== header) continue
    const next = lines.findIndex((other, index) => index > start && /^\s*\[/.test(other))
    const body = lines.slice(start + 1, next < 0 ? undefined : next)
    const end = start + 2 + body.findLastIndex((other) => /^\s*\w+\s*=/.test(other))
    if (body.some((other) => bindingIn(other) === binding)) return { start, end }
  }
  return null
}

function bindingIn(line: string): string | undefined {
  return /^\s*binding\s*=\s*["']([^"']*)["']/.exec(line)?.[1]
}
