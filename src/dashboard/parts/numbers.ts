const whole = new Intl.NumberFormat('en')

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 2 })

const SHARE_MIN = 0.0001

export function count(value: number): string {
  return whole.format(value)
}

export function milliseconds(value: number | null): string {
  return value === null ? '—' : `${whole.format(value)} ms`
}

/** A percentage. A share above zero is never shown as 0%. */
export function share(part: number, total: number): string {
  if (part > 0 && part / total < SHARE_MIN) return `< ${percent.format(SHARE_MIN)}`
  return percent.format(total === 0 ? 0 : part / total)
}

export function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
