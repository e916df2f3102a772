import { Failure } from '../../failure.ts'
import type { Command } from '../command.ts'
import { countObjects, type Kept } from '../documents.ts'
import { requireTenant } from '../environment.ts'
import {
  amountOf,
  integrationOf,
  migrationsOf,
  type Report,
  reportOf,
  secretsOf,
  sizeOf,
} from '../report.ts'

export const status: Command = {
  parameters: '<slug>',
  summary: 'show one tenant with the names of its migrations',
  options: [],
  run: async (environment, [slug = '']) => {
    const tenant = requireTenant(environment, slug)
    const report = await reportOf(environment, tenant)
    if (report.error) throw new Failure(`${slug} could not be read: ${report.error}`)
    const { documents, archive } = (await countObjects(environment, slug)) ?? NO_BUCKET
    return { text: textOf(report, documents, archive), json: { ...report, documents, archive } }
  },
}

const NO_BUCKET = { documents: null, archive: null }

function textOf(report: Report, documents: Kept | null, archive: Kept | null): string {
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
    ['Secrets', secretsOf(report)],
    ['Integration', integrationOf(report)],
    ['Documents', keptOf(documents)],
    ['Log archive', keptOf(archive)],
  ]
  return rows.map(([label = '', value]) => `${label.padEnd(14)}${value}`).join('\n')
}

function keptOf(kept: Kept | null): string {
  if (kept === null) return 'none are kept: there is no bucket'
  if (kept.count === 0) return 'none'
  const count = kept.count.toLocaleString('en')
  return `${kept.is_more ? 'more than ' : ''}${count} (${amountOf(kept.bytes)})`
}
