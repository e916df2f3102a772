import { Failure } from '../../failure.ts'
import type { Command } from '../command.ts'
import { requireTenant } from '../environment.ts'
import { integrationOf, migrationsOf, type Report, reportOf, sizeOf } from '../report.ts'

export const status: Command = {
  parameters: '<slug>',
  summary: 'one tenant, with the names of its migrations',
  options: [],
  run: async (environment, [slug = '']) => {
    const tenant = requireTenant(environment, slug)
    const report = await reportOf(environment, tenant)
    if (report.error) throw new Failure(`${slug} cannot be asked: ${report.error}`)
    return { text: textOf(report), json: report }
  },
}

function textOf(report: Report): string {
  const { applied, pending } = report.migrations
  const rows = [
    ['Tenant', report.tenant],
    ['Base URL', report.base_url],
    ['Database', `${report.database} (${report.database_id})`],
    ['Size', sizeOf(report)],
    ['Migrations', migrationsOf(report)],
    ...applied.map((name) => ['', `${name} applied`]),
    ...pending.map((name) => ['', `${name} pending`]),
    ['Last request', report.last_request_at ?? 'never'],
    ['Live keys', String(report.live_keys)],
    ['Integration', integrationOf(report)],
  ]
  return rows.map(([label = '', value]) => `${label.padEnd(14)}${value}`).join('\n')
}
