import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { type Project, startProject } from '../fixtures/project.ts'
import { type Cloudflare, startCloudflare } from './cloudflare.ts'
import { openTerminal, type Terminal } from './terminal.ts'
import { commandsIn, Reader } from './walking.ts'

// The commands of docs/operators-path.md, typed one after the other as a reader would.

const DOCUMENT = 'docs/operators-path.md'
const ROUTES = 'src/records/orders/routes.ts'
const CREATING = '  const { order, warnings } = await createCompared('

/** Wrangler says so on this machine only, where a proxy leads to the deployed Worker. */
const OF_THE_PROXY = /^.*Proxy environment variables detected.*\n/gm

it(`${DOCUMENT} shows what its commands print`, async () => {
  const [cloudflare, project] = await Promise.all([startCloudflare(), startProject()])
  const terminal = openTerminal(project.folder, await operator(cloudflare, project))
  try {
    await makeRelease(project, terminal)
    const reader = new Reader()
    for (const walked of commandsIn(await readFile(DOCUMENT, 'utf8'))) {
      // D1 keeps every moment; this Cloudflare those that somebody has marked.
      for (const { name } of cloudflare.databases()) await cloudflare.mark(name)
      const output = await terminal.type(reader.fillIn(walked.command))
      const read = reader.read(walked, output.replace(OF_THE_PROXY, ''))
      expect.soft(read, walked.command).toEqual(walked.printed)
    }
    expect(cloudflare.unexpected).toEqual([])
  } finally {
    await terminal.close()
    await Promise.all([cloudflare.close(), project.remove()])
  }
})

async function operator({ env }: Cloudflare, project: Project): Promise<Record<string, string>> {
  // Nobody has signed the certificate of this Cloudflare.
  await project.write('../.curlrc', 'insecure\n')
  const names = ['AUTHOR', 'COMMITTER'].map((role) => [`GIT_${role}_NAME`, 'Operator'])
  const addresses = ['AUTHOR', 'COMMITTER'].map((role) => [`GIT_${role}_EMAIL`, 'ops@example.org'])
  return {
    ...project.env,
    ...env,
    ...Object.fromEntries([...names, ...addresses]),
    npm_config_loglevel: 'silent',
  }
}

/** A clone of the operator at 0.1.0, and v0.2.0 for it, which has a migration and cannot create orders. */
async function makeRelease({ read, write }: Project, { type }: Terminal): Promise<void> {
  const commit = (message: string) => type(`git add . && git commit -qm '${message}'`)
  const version = async (number: string) =>
    write(
      'package.json',
      (await read('package.json')).replace(/"version": ".*"/, `"version": "${number}"`),
    )
  await write('.gitignore', `${await readFile('.gitignore', 'utf8')}\nnode_modules\n`)
  await version('0.1.0')
  await type('git init -q -b main')
  await commit('0.1.0')
  await type('git switch -qc release')
  await version('0.2.0')
  await write(
    'migrations/0098_notices.sql',
    'CREATE TABLE notices (id INTEGER PRIMARY KEY) STRICT;\n',
  )
  const fault = `  if (c.req.method === 'POST') throw new TypeError('a fault')\n`
  const routes = await read(ROUTES)
  expect(routes).toContain(CREATING)
  await write(ROUTES, routes.replace(CREATING, fault + CREATING))
  await commit('0.2.0')
  expect(await type('git tag v0.2.0 && git switch -q main && git status --short')).toBe('')
}
