import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Project, startProject } from '../fixtures/project.ts'

const STYLES = 'src/dashboard/browser/dashboard.css'

let project: Project

beforeAll(async () => {
  project = await startProject()
})

afterAll(() => project.remove())

/** When the built style sheet was written. */
async function built(): Promise<number> {
  expect(await project.run(['scripts/crossdock.ts', 'assets'])).toMatchObject({ code: 0 })
  return (await stat(join(project.folder, 'dist/assets/assets/dashboard.css'))).mtimeMs
}

describe('node scripts/crossdock.ts assets', () => {
  it('builds what is missing or was edited, and leaves alone what is current', async () => {
    const first = await built()
    expect(await built()).toBe(first)

    const styles = join(project.folder, STYLES)
    await writeFile(styles, `${await readFile(styles, 'utf8')}\n.edited { color: red }\n`)
    const edited = await built()
    expect(edited).toBeGreaterThan(first)
    expect(await project.read('dist/assets/assets/dashboard.css')).toContain('.edited')

    await rm(join(project.folder, 'dist/assets'), { recursive: true })
    expect(await built()).toBeGreaterThan(edited)
  })

  it('builds again what was interrupted', async () => {
    const first = await built()
    await rm(join(project.folder, 'dist/assets.sha256'))
    expect(await built()).toBeGreaterThan(first)
  })
})
