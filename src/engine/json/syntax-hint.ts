// What authors write who know another language, and what to write here.
const HINTS: [pattern: RegExp, hint: string][] = [
  [
    /\{\{[^}]*\|/,
    'there are no functions: write the path alone, and "as", "values" or "default" beside it',
  ],
  [
    /\{\{|\$\{|<%/,
    'templates are not evaluated: write the path alone, or {"join": [...]} for several',
  ],
  [/=~|\/[^/]+\/[a-z]*\s*\)/, 'regular expressions cannot be used: compare with == in a filter'],
  [
    /\[[^\]?]*,[^\]]*\]/,
    'there are no lists of selectors: write one path each, and {"from": [...]} or {"join": [...]} around them',
  ],
  [/\.\./, '".." searches at every depth: write each name on the way'],
  [/\+|&/, 'to put texts together write {"join": ["a", "b"]}'],
  [/\?\?|\|\|/, 'for the first that has a value write {"from": ["a", "b"]}'],
  [/\?.*:/, 'there are no conditions: write {"from": "a", "values": {...}}'],
  [/\w\(/, 'there are no functions: write "as", "values" or "default" beside the path'],
  [/\|/, 'there are no functions: write "as", "values" or "default" beside the path'],
  [/\[-?\d*:/, 'there are no slices: write one index, or [] for all'],
]

/** What to write instead, for a text that another language of paths or templates would take; null if unknown. */
export function syntaxHint(text: string): string | null {
  return HINTS.find(([pattern]) => pattern.test(text))?.[1] ?? null
}
