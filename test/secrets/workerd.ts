import { reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, expect } from 'vitest'
import { outgoing } from './outgoing.ts'
import { lookInStorage } from './storage.ts'
import { watchConsole, watchHashing } from './watch.ts'

const ROOT = new URL('../../', import.meta.url).pathname

// P11 (docs/ARCHITECTURE.md): every test file of the project begins with this one, and ends with its afterAll.
// The next file in this workerd finds no rows and no test modules of the last one. It finds the Worker as the last one
// left it, with what the isolate remembers, as a request in production does: loading it anew takes longer than most files.
// A test that needs an isolate without a past asks for one (test/isolate.ts), or its file is one of these.
const IN_A_NEW_ISOLATE =
  /\/test\/(middleware\/.*|promises\/mapping-in-flight|audit\/key-attempts.*|settings\/key-attempts)\.test\.ts$/

if (IN_A_NEW_ISOLATE.test(vitest().filepath)) forgetModulesOf('src')

const stopWatching = [watchHashing(outgoing), watchConsole(outgoing)]

afterAll(async () => {
  const { DB_DEMO, DB_OTHER, KEYS, DOCUMENTS } = env
  await lookInStorage(outgoing, { DB_DEMO, DB_OTHER }, KEYS, DOCUMENTS)
  for (const stop of stopWatching) stop()
  await reset()
  forgetModulesOf('test')
  expect(outgoing.take(), 'where an API key got out').toEqual([])
})

interface CachedModule {
  promise?: unknown
  exports?: unknown
  evaluated: boolean
  importers: Set<string>
}

interface VitestWorker {
  filepath: string
  evaluatedModules: { idToModuleMap: Map<string, CachedModule> }
}

function vitest(): VitestWorker {
  return (globalThis as unknown as { __vitest_worker__: VitestWorker }).__vitest_worker__
}

/** What vi.resetModules() does, for one folder. Vitest has no such choice, so this reaches for its cache. */
function forgetModulesOf(folder: 'src' | 'test'): void {
  for (const [file, module] of vitest().evaluatedModules.idToModuleMap) {
    if (!file.startsWith(`${ROOT}${folder}/`)) continue
    module.promise = undefined
    module.exports = undefined
    module.evaluated = false
    module.importers.clear()
  }
}
