import { describe, expect, it } from 'vitest'
import { circlesAmong } from '../../scripts/tidy/circles.ts'

describe('crossdock tidy, circles of imports', () => {
  it('names each arrow of a circle of two files', () => {
    const arrows = among(['src/app.ts', 'src/api.ts'], ['src/api.ts', 'src/app.ts'])
    expect(arrows).toEqual(['src/app.ts imports src/api.ts', 'src/api.ts imports src/app.ts'])
  })

  it('finds a circle behind files that lead to it and that it leads to', () => {
    const arrows = among(
      ['src/index.ts', 'src/app.ts'],
      ['src/app.ts', 'src/api.ts'],
      ['src/api.ts', 'src/key.ts'],
      ['src/key.ts', 'src/app.ts'],
      ['src/key.ts', 'src/errors.ts'],
    )
    expect(arrows).toEqual([
      'src/app.ts imports src/api.ts',
      'src/api.ts imports src/key.ts',
      'src/key.ts imports src/app.ts',
    ])
  })

  it('finds a circle of rooms without a circle of files', () => {
    const arrows = among(
      ['src/engine/db/tables.ts', 'src/engine/log/values.ts'],
      ['src/engine/log/rows.ts', 'src/engine/db/connect.ts'],
    )
    expect(arrows).toHaveLength(2)
  })

  it('takes a module that stands beside rooms for a room', () => {
    const arrows = among(
      ['src/dashboard/app.ts', 'src/dashboard/orders/routes.ts'],
      ['src/dashboard/orders/page.ts', 'src/dashboard/paths.ts'],
    )
    expect(arrows).toEqual([])
  })

  it('finds nothing where imports go one way', () => {
    const arrows = among(
      ['src/app.ts', 'src/api.ts'],
      ['src/app.ts', 'src/key.ts'],
      ['src/api.ts', 'src/key.ts'],
      ['src/records/orders/routes.ts', 'src/records/bodies.ts'],
    )
    expect(arrows).toEqual([])
  })
})

/** The violations among these imports, each from the first file to the second. */
function among(...imports: [string, string][]): string[] {
  const found = circlesAmong(
    imports.map(([path, target], line) => ({ path, target, line, named: target })),
  )
  return found.map(({ path, wrong }) => `${path} ${wrong.split(':')[0]}`)
}
