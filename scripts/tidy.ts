import { circleViolations } from './tidy/circles.ts'
import { documentViolations } from './tidy/documents.ts'
import { importViolations } from './tidy/imports.ts'
import { lockViolations } from './tidy/lock.ts'
import { migrationViolations } from './tidy/migrations.ts'
import { nameViolations } from './tidy/names.ts'
import { workflowViolations } from './tidy/workflows.ts'

/**
 * Checks the rules that no linter knows: which layer may import which, that no imports close a circle, names that say nothing, what a
 * migration must not do, that links in documents lead somewhere, what package-lock.json may name, and what workflows may do. Biome checks the length of files and
 * functions (biome.json).
 */
export async function tidy(_args: string[]): Promise<number> {
  const violations = [
    ...importViolations(),
    ...circleViolations(),
    ...nameViolations(),
    ...migrationViolations(),
    ...documentViolations(),
    ...lockViolations(),
    ...workflowViolations(),
  ]
  for (const { path, line, wrong } of violations) console.error(`${path}:${line}  ${wrong}`)
  return violations.length > 0 ? 1 : 0
}
