export type Option = readonly [value: string, text: string]

/** Adds the chosen value to the options if it is not among them, for example a deleted partner. */
export function withChosen(
  options: readonly Option[],
  chosen: string | undefined,
): readonly Option[] {
  const isOffered = chosen === undefined || options.some(([value]) => value === chosen)
  return isOffered ? options : [...options, [chosen, chosen]]
}

export function same(value: string): Option {
  return [value, value]
}
