import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { pushSamples } from '../../scripts/dev/push.ts'
import { sample } from '../fixtures/depth.ts'
import { type Block, blocksOf } from '../fixtures/markdown.ts'
import { startServer } from '../fixtures/server.ts'
import { faultsOf, OPERATIONS, responseOf } from '../openapi/document.ts'

// The curl lines of each document, as a reader would paste them one after the other under `npm start`; and that every
// block of the documents that a reader may copy is tested.

const run = promisify(execFile)

/** Shell lines, and the answer that is shown right below them, if there is one. */
const BLOCK = /^```sh\n(.*?)^```\n(?:\n```json\n(.*?)^```)?/gms
const CURL = /\bcurl -s /g

/** Blocks that other tests try as they are printed. */
const ELSEWHERE: [test: string, document: string, isTried: (block: Block) => boolean][] = [
  ['test/tenants/operators-path.deep.test.ts', 'docs/operators-path.md', () => true],
  [
    'test/settings/mapping-records.test.ts',
    'docs/mappings.md',
    ({ text }) => /"(fields|outbound)": /.test(text),
  ],
  [
    'test/served/client.test.ts',
    'docs/api-guide.md',
    ({ text }) => text.startsWith('npx openapi-'),
  ],
]
/** The names of files that a line writes, with their ending. */
const WRITTEN =
  /(?:[^-=]>>? |-[oD] |--etag-save |\bcp \S+ |-- export \S+ )([\w./-]+\.(?:[a-z]{2,6}))(?![\w/])/g
/** Those that are written in `examples/client`. */
const IN_CLIENT = ['crossdock.d.ts']
/** Commands in a block of plain text. */
const COMMAND = /^(\$ |npm |npx |node |curl )/m

// Keeps status and body of each answer, by its number; what reads the output of curl reads the body.
const RECORDING = `
set -euo pipefail
curl() {
  command curl "$@" -o "$ANSWERS/body" -w '%{http_code} %{method} %{url_effective}\\n' >> "$ANSWERS/log"
  cp "$ANSWERS/body" "$ANSWERS/$(wc -l < "$ANSWERS/log" | tr -d ' ')"
  cat "$ANSWERS/body"
}
`

interface Document {
  name: string
  /** Those that call curl, or set a variable for the ones that do. */
  pasted: { lines: string; calls: number; answer: string | undefined }[]
  blocks: Block[]
}

const documents = await readDocuments()
const withCurl = documents.filter(({ pasted }) => pasted.length > 0)

describe.each(sample(withCurl, 1))('the curl lines of $name', ({ pasted }) => {
  it('succeed, give the answer that is shown, and leave no file that git sees', async () => {
    const { log, answers, left } = await paste(pasted.map(({ lines }) => lines).join(''))
    expect(log.filter((line) => !/^20[01] /.test(line))).toEqual([])
    let called = 0
    for (const { calls, answer } of pasted) {
      called += calls
      if (answer) expect(settled(answers[called - 1]!)).toEqual(settled(answer))
    }
    expect(log).toHaveLength(called)
    expect(left).toBe('')
  }, 60_000)
})

it('are in the documents that show how to call the API', () => {
  const guides = ['api-guide', 'connect-a-shop', 'documents', 'keys-and-settings', 'mappings']
  const names = [...guides, 'versioning'].map((name) => `docs/${name}.md`)
  expect(withCurl.map(({ name }) => name).toSorted()).toEqual(['README.md', ...names])
})

describe.each(documents)('each JSON and shell block of $name', ({ name, pasted, blocks }) => {
  const copied = blocks.filter(
    ({ language, text }) =>
      ['json', 'sh'].includes(language) || (language === 'text' && COMMAND.test(text)),
  )

  it('is tested, or marked as an excerpt', () => {
    const isPasted = ({ text }: Block) =>
      pasted.some(({ lines, answer }) => text === lines || text === answer)
    const untested = copied.filter(
      (block) =>
        block.mark !== 'excerpt' &&
        answerOf(block) === null &&
        !isPasted(block) &&
        !ELSEWHERE.some(([, document, isTried]) => document === name && isTried(block)),
    )
    expect(untested).toEqual([])
  })

  it('is as the reference says, where it is an answer', () => {
    for (const { text, answer } of copied.map((one) => ({ ...one, answer: answerOf(one) }))) {
      if (answer === null) continue
      const operation = OPERATIONS.find((one) => one.operation.operationId === answer.operationId)
      const { content } = responseOf(operation!, answer.status)
      const { schema } = content['application/json']
      expect(faultsOf(operation!.document, schema, JSON.parse(text)), text).toEqual([])
    }
  })

  it('finds the server at any port', () => {
    for (const { text } of copied.filter(({ mark }) => mark !== 'excerpt')) {
      expect(text).not.toMatch(/localhost:\d/)
    }
  })
})

it.each(ELSEWHERE)('%s tries blocks of %s', async (test, document) => {
  expect(documents.map(({ name }) => name)).toContain(document)
  expect(await readFile(test, 'utf8')).toContain(document)
})

// Also in excerpts and in running text, which nobody pastes here. The linter leaves out what git ignores (biome.json).
it('files that lines of the documents write are ignored by git', async () => {
  const texts = await Promise.all(documents.map(({ name }) => readFile(name, 'utf8')))
  const files = texts.flatMap((text) => [...text.matchAll(WRITTEN)].map(([, file = '']) => file))
  expect(files).toEqual(expect.arrayContaining(['crossdock.d.ts', 'acme.sql', 'order.local.json']))
  const asked = files.map(
    (file) => `${IN_CLIENT.includes(file) ? 'examples/client/' : ''}${file}\n`,
  )
  const child = execFile('git', ['check-ignore', '--no-index', '--stdin', '--non-matching', '-v'])
  child.stdin?.end(asked.join(''))
  const told = (await text(child.stdout!)).trimEnd().split('\n')
  // A line without a rule before the name is of a file that git would see.
  const seen = told.filter((line) => line.startsWith('::')).map((line) => line.split('\t')[1])
  expect(seen).toEqual([])
})

/** What a block says that it answers: `answer of createOrder: 400`. */
function answerOf({ mark }: Block) {
  const [, operationId, status = ''] = /^answer of (\w+): (\d+)$/.exec(mark) ?? []
  return operationId === undefined ? null : { operationId, status }
}

async function readDocuments(): Promise<Document[]> {
  const others = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'bench/README.md']
  const names = [...others, ...(await readdir('docs')).map((name) => `docs/${name}`)]
  const documents = names
    .filter((name) => name.endsWith('.md'))
    .map(async (name) => {
      const text = await readFile(name, 'utf8')
      return { name, pasted: pastedOf(text), blocks: blocksOf(text) }
    })
  return await Promise.all(documents)
}

function pastedOf(text: string): Document['pasted'] {
  const blocks = [...text.matchAll(BLOCK)].map(([, lines = '', answer]) => ({
    lines,
    calls: lines.match(CURL)?.length ?? 0,
    answer,
  }))
  return blocks.filter(({ lines, calls }) => calls > 0 || /^[A-Z]+=/m.test(lines))
}

/** Runs the lines in a folder like the one in which `npm start` runs, against a server of their own. */
async function paste(lines: string) {
  const served = await startServer()
  const folder = await mkdtemp(join(tmpdir(), 'curl-lines-'))
  const ANSWERS = await mkdtemp(join(tmpdir(), 'answers-'))
  try {
    const demo = {
      base_url: served.origin,
      tenant: 'demo',
      key: await served.createKey(['integrations.*']),
      settings_key: await served.createKey(['settings.*', 'integrations.*']),
      partner_key: null,
    }
    await pushSamples(demo, AbortSignal.timeout(30_000))
    await mkdir(join(folder, '.wrangler'))
    await writeFile(join(folder, '.wrangler/demo.json'), JSON.stringify(demo))
    const inFolder = { cwd: folder, env: { ...process.env, ANSWERS } }
    await run('git', ['init', '-q'], inFolder)
    await copyFile('.gitignore', join(folder, '.git/info/exclude'))
    await run('bash', ['-c', RECORDING + lines], inFolder)
    const { stdout: left } = await run('git', ['status', '--porcelain'], inFolder)
    return { ...(await recorded(ANSWERS)), left }
  } finally {
    await rm(ANSWERS, { recursive: true })
    await rm(folder, { recursive: true })
    await served.close()
  }
}

async function recorded(folder: string): Promise<{ log: string[]; answers: string[] }> {
  const log = (await readFile(join(folder, 'log'), 'utf8')).trimEnd().split('\n')
  const bodies = log.map((_, index) => readFile(join(folder, String(index + 1)), 'utf8'))
  return { log, answers: await Promise.all(bodies) }
}

/** The answer without ids and times, which differ each time. */
function settled(answer: string): unknown {
  const text = answer
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
  return JSON.parse(text)
}
