import { archiveFolder, exportArchives } from '../archive.ts'
import type { Command } from '../command.ts'
import { exportVerified, refuseUnfit, rowsOf, tableOf } from '../dump/verified-export.ts'
import { requireTenant } from '../environment.ts'

export const exportTenant: Command = {
  parameters: '<slug> <file>',
  summary: 'export the whole database as SQL and verify it; documents that are kept stay behind',
  options: ['dry-run'],
  run: async (environment, [slug = '', file = ''], options) => {
    const tenant = requireTenant(environment, slug)
    await refuseUnfit(file)
    if (options['dry-run']) {
      const text = `Dry run: nothing was changed. This would export ${tenant.database_name} to ${file}.`
      return { text, json: { tenant: slug, file, dry_run: true } }
    }
    const exported = await exportVerified(environment, tenant.database_name, slug, file)
    const { extents: tables, archives } = exported
    await exportArchives(environment, slug, archives, file)
    const archive = archives.length > 0 ? archiveFolder(file) : null
    const beside = archive && ` Keep ${archive} with it, which has the archive of the audit log.`
    const text = `\n${slug} was exported to ${file}:\n${tableOf(tables)}\nThe file holds customers' data and hashes of API keys: store it safely.${beside ?? ''} It leaves out documents that are kept in R2.`
    return { text, json: { tenant: slug, file, archive, tables: rowsOf(tables) } }
  },
}
