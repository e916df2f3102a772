import type { Journal, Kind, Write } from './journal.ts'
import type { Outcome } from './run.ts'

const KINDS: [Kind, string][] = [
  ['order', 'orders'],
  ['product', 'products'],
  ['location', 'locations'],
  ['partner', 'partners'],
  ['api_key', 'API keys'],
]

/** The figures of a run as text. */
export function summaryOf(outcome: Outcome, seed: string, durationMs: number): string {
  const { journal, problems, kills, startsMs, auditRows, readsLogged } = outcome
  const { requests } = journal.counts()
  const doubts = journal.writes.filter(isDoubt)
  const answers = Object.entries(journal.answers).map(([status, count]) => `${status}: ${count}`)
  const starts = startsMs.toSorted((a, b) => a - b).map((ms) => (ms / 1000).toFixed(1))
  const rows = [
    ['verdict', problems.length === 0 ? 'all held' : `${problems.length} WRONG`],
    ['kills', String(kills)],
    ['requests', String(requests)],
    ['answers', answers.join(', ')],
    ...KINDS.map(([kind, name]) => [name, writesOf(journal, kind)]),
    ['uploads of stock', uploadsOf(journal)],
    ['without an answer', `${doubts.length} writes: ${landedOf(doubts)}`],
    [
      'audit rows',
      `${auditRows}; of ${journal.reads.size} answered reads, ${readsLogged} have one`,
    ],
    ['starts', `${starts.length}, ${starts.at(0)} to ${starts.at(-1)} s`],
    ['duration', `${Math.round(durationMs / 1000)} s`],
    ['seed', seed],
  ]
  return rows.map(([name = '', value]) => `${name.padEnd(20)}${value}`).join('\n')
}

function writesOf({ writes, things }: Journal, kind: Kind): string {
  const acknowledged = writes.filter((write) => write.thing.kind === kind && isAcknowledged(write))
  const creations = acknowledged.filter(({ status }) => status === 201).length
  const there = things.filter((thing) => thing.kind === kind && thing.state !== null).length
  const changes = acknowledged.length - creations
  return `${creations} creations and ${changes} changes acknowledged; ${there} there`
}

function uploadsOf({ writes, things }: Journal): string {
  const uploads = writes.filter((write) => write.upload && isAcknowledged(write))
  const rows = uploads.reduce((sum, { upload }) => sum + (upload?.total ?? 0), 0)
  const stocks = things.filter(({ kind }) => kind === 'stock')
  const there = stocks.reduce((sum, { state }) => sum + Number(state?.rows ?? 0), 0)
  return `${uploads.length} acknowledged, of ${rows} rows; ${there} rows there`
}

function isAcknowledged({ status }: Write): boolean {
  return status !== null && status < 400
}

/** Whether the write got no answer, or a 5xx, which leaves its effect open. */
function isDoubt({ status }: Write): boolean {
  return status === null || status >= 500
}

function landedOf(writes: Write[]): string {
  const landed = writes.filter((write) => write.landed).length
  const open = writes.filter((write) => write.landed === null).length
  const unknown = open > 0 ? `, ${open} not looked at` : ''
  return `${landed} had landed, ${writes.length - landed - open} had not${unknown}`
}
