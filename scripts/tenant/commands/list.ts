import { isTenant } from '../../../src/engine/identity/key.ts'
import { webhookKeysAmong } from '../../secrets.ts'
import { tellOfBackup } from '../backup/newest.ts'
import type { Command, Result } from '../command.ts'
import { CONFIG } from '../config-file.ts'
import { listDatabases } from '../databases.ts'
import { unboundDatabases } from '../deployment.ts'
import { databaseNameOf, type Environment, flagOf, groupOf, groupPlaceOf } from '../environment.ts'
import { inParallel } from '../parallel.ts'
import { integrationOf, migrationsOf, type Report, reportOf, sizeOf } from '../report.ts'

const HEADINGS = ['TENANT', 'MIGRATIONS', 'SIZE', 'LAST REQUEST', 'KEYS', 'INTEGRATION', 'BASE URL']

/** In bytes. */
const LARGE = 7_000_000_000
const GROWING = 'docs/operations.md, "Growing", says what to do.'

export const list: Command = {
  parameters: '',
  summary: 'show all tenants: migrations, size, last request, live keys, integration on or off',
  options: [],
  run: async (environment) => {
    const slugs = environment.tenants.map(({ slug }) => slug)
    const [databases, backup, reports] = await Promise.all([
      listDatabases(environment),
      tellOfBackup(environment, slugs),
      inParallel(environment.tenants, (tenant) => reportOf(groupOf(environment, tenant), tenant)),
    ])
    const unbound = environment.groups.flatMap((group) =>
      unboundDatabases(group, databases).map((name) => ({ name, slug: slugOf(group, name) })),
    )
    return resultOf(environment, reports, unbound, backup)
  },
}

/** A database without a block in wrangler.toml. */
interface Unbound {
  name: string
  slug: string
}

/** With an environment `production`, `production-2-acme` is of a group. */
function groupAdvice({ first }: Environment, slug: string): string {
  const [, number, tenant] = /^([1-9]\d*)-(.+)$/.exec(slug) ?? []
  return number === undefined
    ? 'Look at what it holds before you delete it.'
    : `If it is of ${tenant} in the group ${first}-${number}, bring the blocks of [env.${first}-${number}] back from git.`
}

function slugOf({ worker }: Environment, database: string): string {
  return database.slice(databaseNameOf(worker, '').length)
}

function resultOf(
  environment: Environment,
  reports: Report[],
  unbound: Unbound[],
  backup: string[],
): Result {
  const names = unbound.map(({ name }) => name)
  const json = { environment: environment.name, tenants: reports, unbound: names, backup }
  const lost = unbound.map(({ name, slug }) => {
    const advice = isTenant(slug)
      ? `Add it: npm run tenant -- create ${slug}${flagOf(environment)}`
      : `It is no tenant's of ${environment.name}, as "${slug}" is no slug. ${groupAdvice(environment, slug)}`
    return `${name} has no block in ${CONFIG}. ${advice}`
  })
  if (reports.length === 0 && lost.length === 0) {
    const text = `There are no tenants${groupPlaceOf(environment)} yet. Add one: npm run tenant -- create <slug>${flagOf(environment)}`
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
  const notes = [...faults, ...lost, ...largeOnes(reports), ...backup, ...keysInUse(reports)]
  return { text: [...lines, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n'), json }
}

function largeOnes(reports: Report[]): string[] {
  return reports
    .filter(({ size_bytes }) => (size_bytes ?? 0) > LARGE)
    .map((report) => `${report.tenant} has ${sizeOf(report)} of 10 GB: ${GROWING}`)
}

/** Which keys encrypt secrets of webhooks, the newest first; of the others, those of which tenants. */
function keysInUse(reports: Report[]): string[] {
  const used = reports.flatMap(({ tenant, webhook_secrets }) =>
    Object.entries(webhook_secrets ?? {}).map(([name, count]) => ({ name, count, tenant })),
  )
  const names = webhookKeysAmong([...new Set(used.map(({ name }) => name))]).toReversed()
  const told = names.map((name, index) => {
    const own = used.filter((one) => one.name === name)
    const count = own.reduce((sum, one) => sum + one.count, 0)
    const tenants = index === 0 ? '' : ` (${own.map(({ tenant }) => tenant).join(', ')})`
    return `${count} by ${name}${tenants}`
  })
  return told.length > 0 ? [`Secrets of webhooks: ${told.join(', ')}`] : []
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
