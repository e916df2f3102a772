import { importViolations } from './tidy/imports.ts'
import { migrationViolations } from './tidy/migrations.ts'
import { nameViolations } from './tidy/names.ts'

/**
 * The laws of the house that no linter knows: which way imports go, names that say nothing, and
 * what a migration must not do. The length of files and functions is Biome's to watch (biome.json).
 */
export async function tidy(_args: string[]): Promise<number> {
  const violations = [...importViolations(), ...nameViolations(), ...migrationViolations()]
  for (const { path, line, wrong } of violations) console.error(`${path}:${line}  ${wrong}`)
  return violations.length > 0 ? 1 : 0
}
