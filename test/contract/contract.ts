import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { Failure } from '../../scripts/failure.ts'
import buildWorker from '../fixtures/served-build.ts'
import { startServer } from '../fixtures/server.ts'
import { withoutChanging } from './changing.ts'
import { walk } from './walk.ts'

const PROGRESS_EVERY = 200

const USAGE = `Usage: npm run contract -- <file>

  --help   show this help

Sends some 1,800 requests to the built Worker, and writes all answers with their headers into the file. They are each
endpoint with good and bad bodies, keys, parameters and releases, each field of the records with wrong values, the pages
of the dashboard that show, and the OpenAPI documents. Pages and lists of the audit log are left out: they change while
rows are still being stored. Words such as <time> stand for ids, times, keys and cursors. So two runs of the same code
write the same.

Before a change that must not be seen from outside:  npm run contract -- before.contract.txt
After it:                                            npm run contract -- after.contract.txt
                                                     diff before.contract.txt after.contract.txt`

/** Writes down what the API and the dashboard answer, to compare two versions of the code. */
export async function contract(args: string[]): Promise<number> {
  const { help, file } = optionsOf(args)
  if (help) {
    console.log(USAGE)
    return 0
  }
  // Before the walk, which takes a minute: the file may be in a folder that does not exist.
  await write(file, '')
  await buildWorker()
  const answers = await recorded()
  await write(file, withoutChanging(answers.join('\n')))
  console.log(`${answers.length} answers are in ${file}`)
  return 0
}

async function recorded(): Promise<string[]> {
  const server = await startServer()
  try {
    return await walk(server, (done) => {
      if (done % PROGRESS_EVERY === 0) console.error(`${done} requests`)
    })
  } finally {
    await server.close()
  }
}

function optionsOf(args: string[]): { help: boolean; file: string } {
  try {
    const options = { help: { type: 'boolean', short: 'h', default: false } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [file = '', ...more] = positionals
    if (!values.help && (file === '' || more.length > 0)) throw new Error('Name one file')
    return { help: values.help, file }
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('. ') : []
    throw new Failure(`${reason}.\n\n${USAGE}`, 2)
  }
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${file} cannot be written (${error.code}).`)
  })
}
