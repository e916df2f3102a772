import { cpus, totalmem } from 'node:os'
import workerd from '../node_modules/workerd/package.json' with { type: 'json' }
import { type Bound, type Figure, isMet } from './figure.ts'

const GIGABYTE = 1024 ** 3

/** The machine that took the numbers. */
function machine() {
  const [first] = cpus()
  return {
    cpu: first?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memory_gb: Math.round(totalmem() / GIGABYTE),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    workerd: workerd.version,
  }
}

/** `{ <name>: value }` or `{ <name>: { <of>: value } }`. `spread` has the spreads under the same names. */
export function jsonOf(figures: Figure[], quick: boolean): string {
  const values: Record<string, unknown> = {}
  const spread: Record<string, unknown> = {}
  for (const { name, of, value, spread: range } of figures) {
    const rounded = Array.isArray(value) ? value.map(round) : round(value)
    put(values, name, of, rounded)
    if (range) put(spread, name, of, range.map(round))
  }
  const at = new Date().toISOString()
  return JSON.stringify({ ...values, spread, machine: machine(), quick, at }, null, 2)
}

function put(
  target: Record<string, unknown>,
  name: string,
  of: string | undefined,
  value: unknown,
) {
  target[name] = of === undefined ? value : { ...(target[name] as object), [of]: value }
}

export function tableOf(figures: Figure[], quick: boolean): string {
  const rows = figures.map(({ name, of = '', value, unit, spread, bound }) => [
    name,
    of,
    `${[value].flat().map(round).join(' ')} ${unit}`.trim(),
    spread ? `${round(spread[0])} to ${round(spread[1])}` : '',
    bound ? textOf(bound) : '',
    bound && typeof value === 'number' ? (isMet(value, bound) ? 'yes' : 'NO') : '',
  ])
  const head = ['figure', 'of', 'value', 'spread', 'goal', 'met']
  const { cpu, cores, memory_gb, platform, node } = machine()
  const where = `${cpu}, ${cores} cores, ${memory_gb} GB, ${platform}, Node ${node}`
  const note = quick
    ? 'A quick run: the numbers are rough.'
    : 'Values are medians of the rounds; spread is the lowest and highest round.'
  return [...aligned([head, ...rows]), '', where, note].join('\n')
}

function aligned(rows: string[][]): string[] {
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function textOf(bound: Bound): string {
  if ('atLeast' in bound) return `at least ${bound.atLeast}`
  if ('equal' in bound) return String(bound.equal)
  return 'atMost' in bound ? `at most ${bound.atMost}` : `below ${bound.below}`
}

/** Rounds to three digits, and from 100 on to whole numbers. */
function round(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))
}
