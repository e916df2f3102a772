import { execFileSync } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const FOLDER = 'examples/workflows'
const RUN = /npm run (\w+) -- ?(.*)$/gm
// Where each command's options stand.
const OPTIONS: Record<string, string[]> = {
  alerts: ['scripts/alerts.ts'],
  deploy: ['scripts/deploy.ts'],
  smoke: ['scripts/smoke.ts'],
  tenant: ['scripts/tenant/arguments.ts', 'scripts/tenant/command.ts', 'scripts/tenant.ts'],
}

const { scripts } = JSON.parse(await readFile('package.json', 'utf8'))
const files = await readdir(FOLDER)
const texts = await Promise.all(
  files.map(async (name) => ({ name, text: await readFile(`${FOLDER}/${name}`, 'utf8') })),
)
const runs = texts.flatMap(({ name, text }) =>
  Array.from(text.matchAll(RUN), ([, command = '', args = '']) => ({ name, command, args })),
)

describe('the workflows', () => {
  it('test, deploy, try, promote, back up and ask the alerts', () => {
    expect(files.toSorted()).toEqual(['alerts.yml', 'backup.yml', 'deploy.yml'])
    const commands = new Set(runs.map(({ command }) => command))
    expect([...commands].toSorted()).toEqual(['alerts', 'deploy', 'smoke', 'tenant'])
  })

  // `backup` joins with the command itself.
  it.each(runs.filter(({ args }) => !args.startsWith('backup')))(
    'run commands that there are, with options that they take: $name: $command $args',
    async ({ command, args }) => {
      expect(scripts[command]).toContain(`crossdock.ts ${command}`)
      const sources = await Promise.all(
        (OPTIONS[command] ?? []).map((path) => readFile(path, 'utf8')),
      )
      for (const [, option = ''] of args.matchAll(/--([a-z][\w-]*)/g)) {
        expect(sources.join('\n')).toMatch(new RegExp(`\\b${option}\\b`))
      }
    },
  )

  it.each(texts)('may not write to the repository, and have an end: $name', ({ text }) => {
    expect(text).toContain('permissions:\n  contents: read\n')
    const jobs = text.match(/runs-on:/g) ?? []
    expect(text.match(/timeout-minutes: \d+/g)).toHaveLength(jobs.length)
    expect(text).not.toMatch(/pull_request_target/)
  })

  it('ask the alerts without a package', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crossdock-'))
    try {
      for (const path of ['scripts', 'package.json', 'examples/alerts']) {
        await cp(path, join(folder, path), { recursive: true })
      }
      const args = ['--disable-warning=ExperimentalWarning', 'scripts/crossdock.ts', 'alerts']
      const run = () =>
        execFileSync(process.execPath, [...args, '--dataset', 'a'], { cwd: folder, env: {} })
      expect(run).toThrow('alerts needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN.')
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
