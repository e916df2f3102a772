import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Failure } from './failure.ts'

const USAGE = `Usage: npm run alerts -- --env <name> | --dataset <name>

Asks the rules of examples/alerts/ about an environment's metrics. Exit code 0: none fires; 1: one fires, or
Cloudflare does not answer. Needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN, a token that may read
Account Analytics.

  --env <name>      an environment of wrangler.toml
  --dataset <name>  its dataset, in place of --env: then no package has to be installed
  --help            show this help`

const RULES = 'examples/alerts'
const DATASET = 'crossdock_production'
const API = 'https://api.cloudflare.com/client/v4'
const ANSWER_MS_MAX = 30_000

interface Rule {
  name: string
  sql: string
  about: string
  todo: string
  firesOnNone: boolean
}

export async function alerts(args: string[]): Promise<number> {
  const { env, dataset: named, help } = parse(args)
  if (help) {
    console.log(USAGE)
    return 0
  }
  const place = env ?? named
  if (!place || (env && named)) {
    throw new Failure(`alerts needs --env or --dataset.\n\n${USAGE}`, 2)
  }
  const dataset = named ?? (await datasetOf(place))
  if (!/^\w+$/.test(dataset)) throw new Failure(`"${dataset}" is no name of a dataset.`, 2)
  const rules = await readRules()
  let fired = 0
  for (const rule of rules) {
    const rows = await ask(rule.sql.replaceAll(DATASET, dataset))
    if (rows.length > 0 === rule.firesOnNone) continue
    fired += 1
    const lines = [`${rule.name}: ${rule.about}`, ...rows.map((row) => JSON.stringify(row))]
    console.log([...lines, `What to do: ${rule.todo}`, ''].join('\n'))
  }
  console.log(`Rules that fire in ${place}: ${fired} of ${rules.length}.`)
  return fired > 0 ? 1 : 0
}

async function datasetOf(env: string): Promise<string> {
  // It loads packages.
  const { CONFIG, readConfig } = await import('./tenant/config-file.ts')
  const { raw, of } = await readConfig()
  if (!Object.hasOwn(raw.env ?? {}, env)) {
    throw new Failure(`${CONFIG} has no environment "${env}".`, 2)
  }
  const dataset = of(env).analytics_engine_datasets.find(({ binding }) => binding === 'METRICS')
  if (dataset?.dataset) return dataset.dataset
  throw new Failure(`[[env.${env}.analytics_engine_datasets]] in ${CONFIG} needs a dataset.`)
}

async function readRules(): Promise<Rule[]> {
  const names = (await readdir(RULES)).filter((name) => name.endsWith('.sql')).toSorted()
  return await Promise.all(
    names.map(async (name) => ruleOf(name, await readFile(join(RULES, name), 'utf8'))),
  )
}

function ruleOf(name: string, sql: string): Rule {
  const [about = ''] = /(?<=^-- ).+/.exec(sql) ?? []
  const [todo = ''] = /(?<=^-- do: ).+/m.exec(sql) ?? []
  const firesOnNone = /^-- fires: when there is no row$/m.test(sql)
  return { name: name.replace('.sql', ''), sql, about, todo, firesOnNone }
}

async function ask(sql: string): Promise<object[]> {
  const { CLOUDFLARE_API_BASE_URL = API, CLOUDFLARE_ACCOUNT_ID, CLOUDFLARE_API_TOKEN } = process.env
  if (!CLOUDFLARE_ACCOUNT_ID || !CLOUDFLARE_API_TOKEN) {
    throw new Failure('alerts needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN.', 2)
  }
  const url = `${CLOUDFLARE_API_BASE_URL}/accounts/${CLOUDFLARE_ACCOUNT_ID}/analytics_engine/sql`
  const answer = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${CLOUDFLARE_API_TOKEN}` },
    body: sql,
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  }).catch((error) => {
    throw new Failure(`Cloudflare's API does not answer: ${error.cause?.message ?? error.message}`)
  })
  const body: unknown = await answer.json().catch(() => null)
  if (hasRows(body)) return body.data
  throw new Failure(`Cloudflare's API answers ${answer.status} and nothing that can be read.`)
}

function hasRows(body: unknown): body is { data: object[] } {
  return typeof body === 'object' && body !== null && 'data' in body && Array.isArray(body.data)
}

function parse(args: string[]): { env?: string; dataset?: string; help?: boolean } {
  try {
    const options = {
      env: { type: 'string' },
      dataset: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    } as const
    return parseArgs({ args, options }).values
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('. ') : []
    throw new Failure(`${reason}.\n\n${USAGE}`, 2)
  }
}
