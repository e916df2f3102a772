import { expect, it } from 'vitest'
import { commandsIn, Reader } from './walking.ts'

it('a document that is walked gives the values of its names, and has every line that is printed', () => {
  const text =
    '```text\n$ one\nnew <id> (1.5 s)\n…\nlast\n$ two <id>\n<id> again\n\n```\n```sh\n$ no\n```\n'
  const [one, two, ...rest] = commandsIn(text)
  expect(rest).toEqual([])
  const reader = new Reader()
  expect(() => reader.fillIn(two!.command)).toThrow('Nothing was printed that is <id>.')
  expect(reader.read(one!, 'new 7 (22.0 s)\n\nany\nmore\nlast\n')).toEqual(one!.printed)
  expect(reader.fillIn(two!.command)).toBe('two 7')
  expect(reader.read(two!, '7 again')).toEqual(two!.printed)
  expect(reader.read(two!, '8 again\nmore')).toEqual(['8 again', 'more'])
  expect(reader.read(one!, 'new 7 (22.0 s)\nlast\nmore')).toEqual([...one!.printed, 'more'])
  expect(reader.read(one!, 'new 7 (22.0 s)')).toEqual(['new <id> (1.5 s)', '…'])
})
