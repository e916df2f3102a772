import type { Command } from '../command.ts'
import { exportVerified, refuseOverwriting, rowsOf, tableOf } from '../dump/verified-export.ts'
import { requireTenant } from '../environment.ts'

export const exportTenant: Command = {
  parameters: '<slug> <file>',
  summary: 'the whole database as SQL, verified: rows, sizes, references',
  options: ['dry-run'],
  run: async (environment, [slug = '', file = ''], options) => {
    const tenant = requireTenant(environment, slug)
    refuseOverwriting(file)
    if (options['dry-run']) {
      const text = `Nothing is changed. I would export ${tenant.database_name} to ${file}.`
      return { text, json: { tenant: slug, file, dry_run: true } }
    }
    const tables = await exportVerified(environment, tenant.database_name, slug, file)
    const text = `\n${slug} is in ${file}:\n${tableOf(tables)}\nIt holds customers' data and the hashes of keys: keep it as you keep those.`
    return { text, json: { tenant: slug, file, tables: rowsOf(tables) } }
  },
}
