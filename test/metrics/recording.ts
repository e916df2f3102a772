import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { COLUMNS } from '../../src/engine/metrics/points.ts'

export type Point = Record<string, string | number>

// Local workerd takes any point and keeps none. What Cloudflare refuses, this refuses.
const FIELDS_MAX = 20
const INDEX_BYTES_MAX = 96
const BLOBS_BYTES_MAX = 16 * 1024

/** The real bindings, with points kept by the names of their columns. */
export function recordingBindings(bindings: object = env) {
  const points: Point[] = []
  const METRICS = {
    writeDataPoint: (point: Required<AnalyticsEngineDataPoint>) => points.push(namedBy(point)),
  }
  return { bindings: { ...bindings, METRICS }, points }
}

function namedBy({ indexes, blobs, doubles }: Required<AnalyticsEngineDataPoint>): Point {
  expect([blobs.length, doubles.length]).toEqual([COLUMNS.blob.length, COLUMNS.double.length])
  expect(Math.max(blobs.length, doubles.length)).toBeLessThanOrEqual(FIELDS_MAX)
  expect(blobs.every((blob) => typeof blob === 'string')).toBe(true)
  expect(doubles.every((double) => Number.isFinite(double))).toBe(true)
  const [index] = indexes
  expect([indexes.length, typeof index]).toEqual([1, 'string'])
  expect(bytesOf(`${index}`)).toBeLessThanOrEqual(INDEX_BYTES_MAX)
  expect(bytesOf(blobs.join(''))).toBeLessThanOrEqual(BLOBS_BYTES_MAX)
  const blobOf = COLUMNS.blob.map((name, at) => [name, blobs[at] as string])
  const doubleOf = COLUMNS.double.map((name, at) => [name, doubles[at] as number])
  return { index: `${index}`, ...Object.fromEntries([...blobOf, ...doubleOf]) }
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}
