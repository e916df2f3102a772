import * as z from 'zod'
import type { Module, Script } from './account.ts'
import { Refusal } from './call.ts'

/** Steps that the Worker has not been through yet. Of all kinds only what the project takes. */
export const Migrations = z.strictObject({
  old_tag: z.string().optional(),
  new_tag: z.string().min(1),
  steps: z.array(z.strictObject({ new_sqlite_classes: z.array(z.string().min(1)) })).min(1),
})

/** What the Worker's Durable Objects come to by them; nothing is changed yet. */
export function migrated(
  { migration_tag, classes }: Script,
  migrations: z.infer<typeof Migrations> | undefined,
): Pick<Script, 'migration_tag' | 'classes'> {
  if (!migrations) return { migration_tag, classes }
  if ((migrations.old_tag ?? null) !== migration_tag) {
    const current = migration_tag ?? 'not set'
    throw new Refusal(412, 10079, `Migration tag precondition failed; current tag is ${current}`)
  }
  const added = migrations.steps.flatMap(({ new_sqlite_classes }) => new_sqlite_classes)
  for (const name of added.filter((name) => classes.includes(name))) {
    const wrong = `Cannot apply new-sqlite-class migration to class '${name}'`
    throw new Refusal(
      400,
      10074,
      `${wrong} that is already depended on by existing Durable Objects`,
    )
  }
  return { migration_tag: migrations.new_tag, classes: [...classes, ...added] }
}

/** The Worker's main module has every class that there are objects of. */
export function refuseUnexported(modules: Module[], classes: string[]): void {
  const [main] = modules
  const exported = exportsOf(new TextDecoder().decode(main?.contents))
  for (const name of classes.filter((name) => !exported.includes(name))) {
    const wrong = `New version of script does not export class '${name}'`
    throw new Refusal(400, 10064, `${wrong} which is depended on by existing Durable Objects.`)
  }
}

/** As the bundler writes them: `export{a as RateLimiter,b as default}`; or with the class itself. */
function exportsOf(code: string): string[] {
  const lists = [...code.matchAll(/\bexport\s*\{([^}]*)\}/g)].flatMap(([, list = '']) =>
    list.split(',').map(
      (entry) =>
        entry
          .trim()
          .split(/\s+as\s+/)
          .at(-1) ?? '',
    ),
  )
  const classes = [...code.matchAll(/\bexport\s+class\s+(\w+)/g)].map(([, name = '']) => name)
  return [...lists, ...classes]
}
