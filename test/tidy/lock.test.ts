import { describe, expect, it } from 'vitest'
import { verdictOn } from '../../scripts/advisories.ts'
import { faultsOf, lockViolations, scriptViolations } from '../../scripts/tidy/lock.ts'

const FINE = { version: '1.0.0', integrity: 'sha512-abc', license: 'MIT' }

describe('crossdock tidy, package-lock.json', () => {
  it('finds nothing wrong today', () => {
    expect(lockViolations()).toEqual([])
  })

  it.each([
    { path: 'node_modules/a', locked: FINE, faults: [] },
    { path: '', locked: { license: 'UNLICENSED', hasInstallScript: true }, faults: [] },
    { path: 'examples/client', locked: { version: '0.1.0' }, faults: [] },
    { path: 'node_modules/a', locked: { link: true }, faults: [] },
    {
      path: 'node_modules/a/node_modules/@b/c',
      locked: { ...FINE, integrity: undefined },
      faults: ['@b/c has no sha512 in integrity'],
    },
    {
      path: 'node_modules/a',
      locked: { ...FINE, integrity: 'sha1-abc' },
      faults: ['a has no sha512 in integrity'],
    },
    {
      path: 'node_modules/a',
      locked: { ...FINE, resolved: 'git+ssh://git@example.com/a.git#1234' },
      faults: ['a comes from git+ssh://git@example.com/a.git#1234'],
    },
    {
      path: 'node_modules/a',
      locked: { ...FINE, license: undefined },
      faults: ['a has the licence undefined: look at it'],
    },
    {
      path: 'node_modules/a',
      locked: { ...FINE, license: 'MPL-2.0' },
      faults: ['a has the licence MPL-2.0: look at it'],
    },
    { path: 'node_modules/a', locked: { ...FINE, license: 'MPL-2.0', dev: true }, faults: [] },
    { path: 'node_modules/a', locked: { ...FINE, license: '(GPL-3.0 OR MIT)' }, faults: [] },
    {
      path: 'node_modules/a',
      locked: { ...FINE, license: 'GPL-3.0 AND MIT', dev: true },
      faults: ['a has the licence GPL-3.0 AND MIT: look at it'],
    },
    {
      path: 'node_modules/a',
      locked: { ...FINE, hasInstallScript: true },
      faults: ['a wants to run a script when it is installed'],
    },
    { path: 'node_modules/esbuild', locked: { ...FINE, hasInstallScript: true }, faults: [] },
  ])('finds $faults in $path with $locked', ({ path, locked, faults }) => {
    expect(faultsOf(path, locked)).toEqual(faults)
  })

  it.each([
    { npmrc: 'fund=false\nignore-scripts=true\n', faults: 0 },
    { npmrc: 'ignore-scripts=false\n', faults: 1 },
    { npmrc: '; ignore-scripts=true\n', faults: 1 },
  ])('finds $faults faults in .npmrc with $npmrc', ({ npmrc, faults }) => {
    expect(scriptViolations(npmrc)).toHaveLength(faults)
  })
})

describe('npm run advisories', () => {
  it.each([
    { stdout: '{"auditReportVersion":2,"vulnerabilities":{}}', code: 0, told: 'No advisory' },
    {
      stdout: '{"auditReportVersion":2,"vulnerabilities":{"hono":{"severity":"high"}}}',
      code: 1,
      told: 'hono: high',
    },
    { stdout: '{"message":"404 Not Found","error":{}}', code: 0, told: 'does not tell' },
    { stdout: '', code: 0, told: 'does not tell' },
  ])('ends with $code where npm prints $stdout', ({ stdout, code, told }) => {
    const verdict = verdictOn(stdout)
    expect(verdict.code).toBe(code)
    expect(verdict.lines.join('\n')).toContain(told)
  })
})
