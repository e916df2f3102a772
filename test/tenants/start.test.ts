import { afterEach, describe, expect, it, vi } from 'vitest'
import { dev } from '../../scripts/dev.ts'

afterEach(() => vi.restoreAllMocks())

describe('npm start', () => {
  it.each(['--help', '-h'])('prints help with %s, and starts nothing', async (option) => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    expect(await dev([option])).toBe(0)
    expect(log).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('PORT=<number> npm start'))
  })

  it('names an argument that it does not accept, and starts nothing', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    await expect(dev(['--port', '9000'])).rejects.toMatchObject({
      name: 'Failure',
      exitCode: 2,
      message: expect.stringMatching(/^npm start does not accept "--port"\.\n\nUsage: npm start\n/),
    })
    expect(log).not.toHaveBeenCalled()
  })
})
