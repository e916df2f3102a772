import { describe, expect, it } from 'vitest'
import { sharedNames } from '../../scripts/tidy/names.ts'

describe('crossdock tidy, exported names', () => {
  it('names the second file that exports a name, and the line', () => {
    const files = [
      { path: 'src/key.ts', text: "import 'hono'\nexport const READS = 1\n" },
      { path: 'src/row.ts', text: '\nexport async function find() {}\nexport type READS = 2\n' },
    ]
    const wrong = 'exports READS, as src/key.ts does'
    expect(sharedNames(files)).toEqual([{ path: 'src/row.ts', line: 3, wrong }])
  })

  it('lets a schema and its type share a name in one file, and takes no private name', () => {
    const text =
      'export const Session = z.object({})\nexport type Session = z.output<typeof Session>\n'
    const other = 'const Session = 1\nexport const sessions = [Session]\n'
    expect(
      sharedNames([
        { path: 'a.ts', text },
        { path: 'b.ts', text: other },
      ]),
    ).toEqual([])
  })
})
