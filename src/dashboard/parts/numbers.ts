// Made when first used: to load what Intl needs takes an isolate 10 ms.
let formats: { whole: Intl.NumberFormat; percent: Intl.NumberFormat } | undefined

const SHARE_MIN = 0.0001

export function count(value: number): string {
  return inEnglish().whole.format(value)
}

export function milliseconds(value: number | null): string {
  return value === null ? '—' : `${inEnglish().whole.format(value)} ms`
}

/** A percentage. A share above zero is never shown as 0%. */
export function share(part: number, total: number): string {
  if (part > 0 && part / total < SHARE_MIN) return `< ${inEnglish().percent.format(SHARE_MIN)}`
  return inEnglish().percent.format(total === 0 ? 0 : part / total)
}

export function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function inEnglish() {
  formats ??= {
    whole: new Intl.NumberFormat('en'),
    percent: new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 2 }),
  }
  return formats
}
