import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itInDeep } from '../fixtures/depth.ts'
import { sectionOf } from '../fixtures/markdown.ts'
import { served } from './serving.ts'

// The typed client of docs/api-guide.md, as a newcomer would paste it.

const run = promisify(execFile)

const GUIDE = 'docs/api-guide.md'
const CLIENT = 'examples/client'

let folder: string
let key: string
let shell: string
let program: string

beforeAll(async () => {
  key = await served.createKey(['integrations.*'])
  const section = sectionOf(await readFile(GUIDE, 'utf8'), 'Typed client')
  shell = blockOf(section, 'sh')
  program = blockOf(section, 'ts')
  // Within the example, so that its packages are found.
  folder = await mkdtemp(`${CLIENT}/run-`)
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}')
  await inFolder('sh', ['-c', shell])
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

function blockOf(section: string, language: string): string {
  const block = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(section)?.[1]
  if (!block) throw new Error(`${GUIDE} has no such ${language} lines`)
  return block
}

/** As the page has set them before. */
const variables = () => ({ BASE: served.origin, CROSSDOCK: served.origin, KEY: key })

function inFolder(program: string, args: string[]) {
  return run(program, args, { cwd: folder, env: { ...process.env, ...variables() } })
}

const WRONG: [string, string, string][] = [
  ['a field that is no text', "order_number: 'SO-4001'", 'order_number: 4001'],
  ['a line without a quantity', ', quantity: 2', ''],
  ['a path that is not there', "POST('/api/integrations/v1/orders/'", "POST('/api/orders/'"],
  ['a status that is not there', 'created.data.status', "created.data.status === 'sent'"],
  ['a code that is not there', 'error.error.code', "error.error.code === 'LOST'"],
  ['a reason that is not there', "'DUPLICATE_ORDER_NUMBER'", "'LOST'"],
  ['a field of an order that a summary has not', 'order.created_at', 'order.items'],
  ['a query that is no number', 'limit: 9', "limit: 'many'"],
  ['a filter that is no text', "created_from: '2026-01-01'", 'created_from: 2026'],
]

/** What TypeScript, at its strictest, says of the files. */
async function compile(files: Record<string, string>): Promise<string> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const options = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes']
  const environment = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node']
  const { stdout } = await inFolder(resolve(CLIENT, 'node_modules/.bin/tsc'), [
    ...options,
    ...environment,
    '--noEmit',
    '--allowImportingTsExtensions',
    ...Object.keys(files),
  ]).catch((error: { stdout: string }) => error)
  return stdout
}

describe('the typed client', () => {
  it.each([
    'crossdock.d.ts',
    'client.ts',
    'stock.json',
    'stock.json.copy',
    'stock.json.copy.draft',
  ])('leaves no file that git or the linter sees: %s', async (name) => {
    const { stdout } = await run('git', ['check-ignore', `${CLIENT}/${name}`])
    expect(stdout).toBe(`${CLIENT}/${name}\n`)
  })

  itInDeep('compiles', async () => {
    expect(await compile({ 'client.ts': program })).toBe('')
  })

  itInDeep('does not compile with a mistake in it', async () => {
    for (const [, right] of WRONG) expect(program).toContain(right)
    const files = WRONG.map(([, right, wrong], index) => [
      `wrong-${index}.ts`,
      program.replace(right, wrong),
    ])
    const told = await compile(Object.fromEntries(files))
    for (const [index, [what]] of WRONG.entries()) {
      expect(told, what).toMatch(new RegExp(`^wrong-${index}\\.ts\\(.*error TS`, 'm'))
    }
  })

  it('creates an order, lists it, finds it among the changes, and is told that the order exists', async () => {
    await fetch(`${served.origin}/api/integrations/v1/products/`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ sku: 'TEA-EARLGREY-100' }),
    })
    await writeFile(join(folder, 'client.ts'), program)
    const { stdout } = await inFolder(process.execPath, ['client.ts'])
    expect(stdout).toMatch(
      /^SO-4001 pending\nSO-4001 \d{4}-\d\d-\d\dT[\d:.]+Z\nid,order_number,status,customer_name,created_at,external_order_id,[a-z_,]+,items\nSO-4001 \d{4}-\d\d-\d\dT[\d:.]+Z\n$/,
    )
    const { stdout: again } = await inFolder(process.execPath, ['client.ts'])
    expect(again).toMatch(/^The order exists\.\n/)
  })
})
