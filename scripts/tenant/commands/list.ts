import type { Command, Result } from '../command.ts'
import { CONFIG } from '../config-file.ts'
import { listDatabases } from '../databases.ts'
import { unboundDatabases } from '../deployment.ts'
import { databaseNameOf, type Environment, flagOf, groupOf, placeOf } from '../environment.ts'
import { inParallel } from '../parallel.ts'
import { integrationOf, migrationsOf, type Report, reportOf, sizeOf } from '../report.ts'

const HEADINGS = ['TENANT', 'MIGRATIONS', 'SIZE', 'LAST REQUEST', 'KEYS', 'INTEGRATION', 'BASE URL']

export const list: Command = {
  parameters: '',
  summary: 'show all tenants: migrations, size, last request, live keys, integration on or off',
  options: [],
  run: async (environment) => {
    const [databases, reports] = await Promise.all([
      listDatabases(environment),
      inParallel(environment.tenants, (tenant) => reportOf(groupOf(environment, tenant), tenant)),
    ])
    const unbound = environment.groups.flatMap((group) =>
      unboundDatabases(group, databases).map((name) => ({ name, slug: slugOf(group, name) })),
    )
    return resultOf(environment, reports, unbound)
  },
}

/** A database without a block in wrangler.toml. */
interface Unbound {
  name: string
  slug: string
}

function slugOf({ worker }: Environment, database: string): string {
  return database.slice(databaseNameOf(worker, '').length)
}

function resultOf(environment: Environment, reports: Report[], unbound: Unbound[]): Result {
  const names = unbound.map(({ name }) => name)
  const json = { environment: environment.name, tenants: reports, unbound: names }
  const lost = unbound.map(
    ({ name, slug }) =>
      `${name} has no block in ${CONFIG}. Add it: npm run tenant -- create ${slug}${flagOf(environment)}`,
  )
  if (reports.length === 0 && lost.length === 0) {
    const text = `There are no tenants${placeOf(environment)} yet. Add one: npm run tenant -- create <slug>${flagOf(environment)}`
    return { text, json }
  }
  const rows = [HEADINGS, ...reports.map(rowOf)]
  const widths = HEADINGS.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const faults = reports.flatMap(({ tenant, error }) => (error ? [`${tenant}: ${error}`] : []))
  const notes = [...faults, ...lost]
  return { text: [...lines, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n'), json }
}

function rowOf(report: Report): string[] {
  const { tenant, last_request_at, live_keys, base_url, error } = report
  if (error) return [tenant, 'not readable', '', '', '', '', base_url]
  return [
    tenant,
    migrationsOf(report),
    sizeOf(report),
    last_request_at ?? 'never',
    String(live_keys),
    integrationOf(report),
    base_url,
  ]
}
