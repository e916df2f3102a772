import { existsSync, readdirSync } from 'node:fs'

export interface Violation {
  path: string
  line: number
  wrong: string
}

/** Every file below a folder, sorted, such as `src/engine/db/tables.ts`; empty if the folder does not exist. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`)
    .sort()
}
