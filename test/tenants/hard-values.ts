const THREE_BYTES = '荷'
const FOUR_BYTES = '📦'

/** Texts that a reader or writer of SQL trips over. Each is one that the API takes as notes. */
export const TEXTS = [
  '',
  ' ',
  '\0',
  'cut\0off',
  '\0'.repeat(10_000),
  'one\nfeed',
  'one\rreturn',
  'a line\r\nand a line\r\n',
  'a backslash and an n: \\n',
  'a backslash and an n, \\n, then a feed\n',
  'a backslash and an r, \\r, then a return\r',
  'C:\\new\\regal\r\n\0',
  '\\',
  '\\\n',
  '\\\\n\\\n',
  'BEGIN TRANSACTION;',
  'COMMIT;',
  'BEGIN TRANSACTION; BEGIN TRANSACTION; COMMIT; COMMIT; ROLLBACK;',
  "it's ''quoted''; \"twice\", `thrice` and [bracketed]",
  "'); DROP TABLE orders; --",
  '-- to the end of the line',
  '/* no end',
  'no start */',
  'CREATE TEMP TRIGGER t BEGIN; END;',
  "replace('a\\nb','\\n',char(10))",
  "X'00' ?1 :a @b $c %s {}",
  'NULL',
  '1e3',
  '\u0001\u001f\u007f\u0085\u009f\u00a0\u00ad',
  '\u2028\u2029\ufeff\ufffd\ufffe\uffff',
  'e\u0301 é \u202e rtl',
  FOUR_BYTES.repeat(10_000),
  `a${FOUR_BYTES.repeat(9_999)}`,
  THREE_BYTES.repeat(10_000),
  `${THREE_BYTES.repeat(9_999)}\n`,
]

/** JSON of an object, of so many UTF-16 units, with a pair of them at the odd or even positions. */
function objectOf(units: number, text: string): string {
  const frame = JSON.stringify({ a: '\n' }).length
  const filling = text.repeat(Math.ceil(units / text.length))
  const cut = filling.slice(0, units - frame).replace(/[\uD800-\uDBFF]$/, '')
  return JSON.stringify({ a: `\n${cut}` })
}

const BYTES_60K = 60_000

/** Values of the long columns of an order, whose statement would be too long as it is. */
export const LONG_ORDERS = [
  {
    notes: `${THREE_BYTES.repeat(9_999)}\n`,
    customer_info: objectOf(BYTES_60K / 3, THREE_BYTES),
    metadata: objectOf(BYTES_60K / 3, THREE_BYTES),
  },
  {
    notes: 'a'.repeat(10_000),
    customer_info: objectOf(BYTES_60K, 'b'),
    metadata: objectOf(BYTES_60K, "it's; "),
  },
  // Just short of what is laid down in pieces, thrice.
  {
    notes: `${THREE_BYTES.repeat(9_999)}\n`,
    customer_info: objectOf(13_999, THREE_BYTES),
    metadata: objectOf(13_999, THREE_BYTES),
  },
  // A pair begins at every odd position, then at every even one.
  {
    notes: FOUR_BYTES.repeat(10_000),
    customer_info: objectOf(BYTES_60K / 2, FOUR_BYTES),
    metadata: objectOf(BYTES_60K / 2, `a${FOUR_BYTES}`),
  },
  {
    notes: `a${FOUR_BYTES.repeat(9_998)}\0`,
    customer_info: objectOf(28_001, FOUR_BYTES),
    metadata: objectOf(28_000, `${FOUR_BYTES}a`),
  },
]
