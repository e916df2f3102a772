const ID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g

const CHANGING: [instead: string, pattern: RegExp][] = [
  ['<key>', /x[dh]_demo_(?:\w{8,}|…\w{4})/g],
  ['<cursor>', /(?<=next_cursor":"|cursor=)[\w-]+|(?<=[?&](?:amp;)?back=)[\w.-]+/g],
  ['<time>', /\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(?:\.\d+)?Z/g],
  ['<time>', /\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?(?= UTC)/g],
  ['<duration>', /(?<="duration_ms":)\d+/g],
  // In an ETag: the request that changed the record last.
  ['<change>', /(?<=etag: "\d+\.)[\da-f]{8}/g],
  // The version of a record in a form has the beginning of its id.
  ['<beginning of id>', /(?<=name="version" value="\d+\.)[\da-f]{8}/g],
  // The end of an id tells links of one text apart.
  ['<end of id>', /(?<=class="for-reader"> )[\da-f]{8}(?=<)/g],
  ['<port>', /(?<=127\.0\.0\.1:)\d+/g],
  // In a name that test/fixtures/unique.ts makes.
  ['<unique>', /(?<=-)[0-9a-z]{8}(?=-\d+)/g],
]

/**
 * The text without what differs between two runs of the same code. Ids are numbered in the order in which they come, so
 * it still shows which are the same.
 */
export function withoutChanging(text: string): string {
  const ids = new Map<string, number>()
  const numbered = text.replace(ID, (id) => {
    const number = ids.get(id) ?? ids.size + 1
    ids.set(id, number)
    return `<id ${number}>`
  })
  return CHANGING.reduce((left, [instead, pattern]) => left.replace(pattern, instead), numbered)
}
