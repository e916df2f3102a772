const VARYING: [RegExp, string][] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d{3})?)? UTC/g, '<time>'],
  [/[\d,]+ ms\b/g, '<ms>'],
  [/\b[0-9a-f]{64}\b/g, '<hash>'],
  [/xd_demo_(?:…\w{4}|\w{49})/g, '<key>'],
  // Of unique().
  [/-[0-9a-z]{8}-\d+/g, '-<n>'],
  [/"duration_ms":\d+/g, '"duration_ms":<ms>'],
  [/"items_bytes":\d+/g, '"items_bytes":<bytes>'],
  [/"changed_(in|place)":\d+/g, '"changed_$1":<n>'],
  // Of replaced_values: the records' numbers.
  [/\\"(first|last)\\":\d+/g, '"$1":<seq>'],
  [/\[\d+,(\d+,\d+\])/g, '[<seq>,$1'],
]

/** The text without what differs from one run of the same request to the next. */
export function normalized(text: string): string {
  return VARYING.reduce((rest, [pattern, name]) => rest.replace(pattern, name), text)
}
