import { describe, expect, it } from 'vitest'
import { Failure } from '../../scripts/failure.ts'
import { withoutChanging } from './changing.ts'
import { contract } from './contract.ts'

describe('npm run contract', () => {
  it.each([
    { args: [], exitCode: 2, message: /^Name one file\.\n\nUsage: / },
    { args: ['a', 'b'], exitCode: 2, message: /^Name one file\.\n\nUsage: / },
    { args: ['--fast'], exitCode: 2, message: /^Unknown option '--fast'\.\n\nUsage: / },
    { args: ['none/a.txt'], exitCode: 1, message: /^none\/a\.txt cannot be written \(ENOENT\)\.$/ },
  ])('refuses $args before it starts anything', async ({ args, exitCode, message }) => {
    const refused = await contract(args).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Failure)
    expect(refused).toMatchObject({ exitCode, message: expect.stringMatching(message) })
  })
})

const [A, B] = ['0b8f2f0e-5f0a-4a4e-9a5e-3b6d3c1a7a10', '5d7c9d0e-4f6c-4c8e-8a53-6a4d0f4d9b21']

describe('what two runs of the same code write', () => {
  it.each([
    [`${A} ${B} ${A}`, '<id 1> <id 2> <id 1>'],
    ['xd_demo_abcdefgh12 xd_demo_…ab12', '<key> <key>'],
    [
      '"next_cursor":"eyJh-_9" ?cursor=abc&limit=5',
      '"next_cursor":"<cursor>" ?cursor=<cursor>&limit=5',
    ],
    [
      '2026-11-26T06:28:11.123Z orders-demo-2026-11-26T06-28-11Z.csv',
      '<time> orders-demo-<time>.csv',
    ],
    ['2026-11-26 06:28 UTC, 2026-11-26 06:28:12 UTC', '<time> UTC, <time> UTC'],
    ['"duration_ms":12', '"duration_ms":<duration>'],
    ['etag: "1.ad0b38f1.a7c0e1fab653"', 'etag: "1.<change>.a7c0e1fab653"'],
    ['http://127.0.0.1:4711/x', 'http://127.0.0.1:<port>/x'],
    ['O-mi9abcde-12', 'O-<unique>-12'],
  ])('has in the place of %s', (text, expected) => {
    expect(withoutChanging(text)).toBe(expected)
  })

  it('keeps everything else', () => {
    const kept = '{"quantity":3,"order_date":"2026-01-02","id":"x","duration":5} etag: "none"'
    expect(withoutChanging(kept)).toBe(kept)
  })
})
