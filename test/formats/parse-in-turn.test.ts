import { describe, expect, it } from 'vitest'
import { parseInTurn } from '../../src/engine/body/parse-in-turn.ts'
import { Pace, SHORT_STEPS_MAX } from '../../src/engine/limits/pace.ts'

/** The steps of each piece of work that could not pause within. */
class Counted extends Pace {
  readonly pieces: number[] = []

  override async inTurn<Result>(steps: number, work: () => Result): Promise<Result> {
    this.pieces.push(steps)
    return await super.inTurn(steps, work)
  }
}

describe('a long body', () => {
  it('of XML is read in pieces, between which others get their turn', async () => {
    const pace = new Counted({ tenant: 'demo', key: 'k' })
    const bytes = new TextEncoder().encode(`<o>${'<l a="1">x</l>'.repeat(100_000)}</o>`)
    const { value } = await parseInTurn(pace, bytes, 'text/xml')
    expect(value).toMatchObject({ o: { l: { length: 100_000 } } })
    const [decoding, ...parts] = pace.pieces
    expect(decoding).toBe(bytes.length)
    expect(parts.length).toBe(Math.ceil(bytes.length / 65_536))
    expect(Math.max(...parts)).toBeLessThan(SHORT_STEPS_MAX)
    // Some 100 ns for each character.
    expect(parts.reduce((sum, steps) => sum + steps, 0)).toBe(4 * bytes.length)
  })

  it('that is wrong at its end is refused with its place', async () => {
    const pace = new Counted({ tenant: 'demo', key: 'k' })
    const bytes = new TextEncoder().encode(`<o>\n${' '.repeat(200_000)}</p>`)
    await expect(parseInTurn(pace, bytes, 'text/xml')).rejects.toThrow(
      'Line 2, column 200004: this tag closes',
    )
  })
})
