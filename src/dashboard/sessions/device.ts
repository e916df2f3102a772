// Browsers name others that they are compatible with: the first that matches is meant.
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const
const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

/** Such as `Firefox on Linux`: what a `User-Agent` header says to people. Its beginning, if that is none of the usual ones. */
export function deviceName(userAgent: string | null): string {
  if (userAgent === null) return 'unknown'
  const browser = BROWSERS.find(([mark]) => userAgent.includes(`${mark}/`))?.[1]
  const system = SYSTEMS.find(([mark]) => userAgent.includes(mark))?.[1]
  if (!browser || !system) return userAgent.slice(0, 60)
  return `${browser} on ${system}`
}
