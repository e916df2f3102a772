import { existsSync, readdirSync } from 'node:fs'

export interface Violation {
  path: string
  line: number
  wrong: string
}

/** Every file below a folder, as `src/db/tables.ts`, in order; none when there is no such folder. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`)
    .sort()
}
