import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { pushSamples } from '../../scripts/dev/push.ts'
import { sample } from '../depth.ts'
import { startServer } from './server.ts'

// The curl lines of each document, as a reader would paste them one after the other under `npm start`.

const run = promisify(execFile)

const ORIGIN = 'http://localhost:8787'
/** Shell lines, and the answer that is shown right below them, if there is one. */
const BLOCK = /^```sh\n(.*?)^```\n(?:\n```json\n(.*?)^```)?/gms
const CURL = /\bcurl -s /g

// Keeps status and body of each answer, by its number; what reads the output of curl reads the body.
const RECORDING = `
set -euo pipefail
curl() {
  command curl "$@" -o answers/body -w '%{http_code} %{method} %{url_effective}\\n' >> answers/log
  cp answers/body "answers/$(wc -l < answers/log | tr -d ' ')"
  cat answers/body
}
`

interface Document {
  name: string
  /** Those that call curl, or set a variable for the ones that do. */
  blocks: { lines: string; calls: number; answer: string | undefined }[]
}

const documents = await documentsWithCurl()

describe.each(sample(documents, 2))('the curl lines of $name', ({ blocks }) => {
  it('succeed, and give the answer that is shown', async () => {
    const { log, answers } = await paste(blocks.map(({ lines }) => lines).join(''))
    expect(log.filter((line) => !/^20[01] /.test(line))).toEqual([])
    let called = 0
    for (const { calls, answer } of blocks) {
      called += calls
      if (answer) expect(settled(answers[called - 1]!)).toEqual(settled(answer))
    }
    expect(log).toHaveLength(called)
  }, 60_000)
})

it('are in the documents that show how to call the API', () => {
  const guides = ['api-guide', 'connect-a-shop', 'documents', 'keys-and-settings', 'mappings']
  const names = [...guides, 'versioning'].map((name) => `docs/${name}.md`)
  expect(documents.map(({ name }) => name).toSorted()).toEqual(['README.md', ...names])
})

async function documentsWithCurl(): Promise<Document[]> {
  const names = ['README.md', ...(await readdir('docs')).map((name) => `docs/${name}`)]
  const documents = names
    .filter((name) => name.endsWith('.md'))
    .map(async (name) => ({ name, blocks: blocksOf(await readFile(name, 'utf8')) }))
  return (await Promise.all(documents)).filter(({ blocks }) => blocks.length > 0)
}

function blocksOf(text: string): Document['blocks'] {
  const blocks = [...text.matchAll(BLOCK)].map(([, lines = '', answer]) => ({
    lines,
    calls: lines.match(CURL)?.length ?? 0,
    answer,
  }))
  return blocks.filter(({ lines, calls }) => calls > 0 || /^[A-Z]+=/m.test(lines))
}

/** Runs the lines in a folder like the one in which `npm start` runs, against a server of their own. */
async function paste(lines: string): Promise<{ log: string[]; answers: string[] }> {
  const served = await startServer()
  const folder = await mkdtemp(join(tmpdir(), 'curl-lines-'))
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
    await mkdir(join(folder, 'answers'))
    await writeFile(join(folder, '.wrangler/demo.json'), JSON.stringify(demo))
    await run('bash', ['-c', RECORDING + lines.replaceAll(ORIGIN, served.origin)], { cwd: folder })
    return await recorded(join(folder, 'answers'))
  } finally {
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
