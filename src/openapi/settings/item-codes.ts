import * as z from 'zod'
import { csvLine } from '../../engine/answers/csv.ts'
import { CODE_KINDS, type CodeKind } from '../../engine/mapping/item-code.ts'
import { csvColumns } from '../../settings/item-codes/export.ts'
import { CODE_WORDS } from '../../settings/item-codes/kind.ts'
import { tooManyCodes } from '../../settings/item-codes/queries.ts'
import { CODES_MAX, schemasOfCode } from '../../settings/item-codes/schema.ts'
import { named } from '../components.ts'
import { type Endpoint, endpoint, pageOf } from '../endpoint.ts'
import { thrown, unknownRecord, wrong } from '../errors.ts'
import { NO_PARTNER } from './partners.ts'

const TAG = 'Item codes'

const RowErrors = z.object({
  row: z.int(),
  code: z.string(),
  errors: z.record(z.string(), z.array(z.string())),
})
const ManyResult = named(
  'ItemCodesResult',
  z.object({
    total: z.int(),
    created: z.int(),
    updated: z.int(),
    unchanged: z.int(),
    removed: z.int(),
    failed: z.int(),
    errors: z.array(RowErrors),
  }),
)
const DeletedCode = named('DeletedItemCode', z.object({ code: z.string() }))

const CHANGES =
  'The change takes effect with the next document. Deliveries that wait for the code are then tried by themselves.'

const EXAMPLES = {
  products: { code: 'K12', sku_code: 'MUG-ENAMEL-BLU', units: 12 },
  locations: { code: 'WH-7', location_code: 'A-01-1' },
}

export const itemCodesReference: Endpoint[] = CODE_KINDS.map(wordsOf).flatMap((words) => [
  ...ofTable(words),
  ...ofOne(words),
])

/** What the endpoints of one kind have in common. */
function wordsOf(kind: CodeKind) {
  const words = CODE_WORDS[kind]
  const name = words.hasUnits ? 'Product' : 'Location'
  const { One, Row } = schemasOfCode(words)
  const example = EXAMPLES[kind]
  const { code, ...meaning } = example
  return {
    ...words,
    ...{ name, example, code, meaning },
    columns: csvColumns(words),
    path: `/partners/{id}/item-codes/${kind}/`,
    file: csvLine(csvColumns(words)) + csvLine(Object.values(example)),
    Shown: named(`${name}Code`, Row),
    Body: named(`Save${name}Code`, One),
    Many: named(`Save${name}Codes`, z.object({ item_codes: z.array(Row).max(CODES_MAX) })),
    noCode: unknownRecord(`The partner has no item code "${code}" for a ${words.one}.`),
  }
}
type Words = ReturnType<typeof wordsOf>

function ofTable({ kind, name, path, columns, file, example, Shown, Many }: Words): Endpoint[] {
  return [
    endpoint('settings', TAG, `GET ${path}`, {
      operationId: `list${name}Codes`,
      summary: `List the item codes of ${kind}`,
      description: `Returns what the numbers of the partner stand for, in the order of the codes. \`Accept: text/csv\` returns the whole table as a file, which an upload takes back as it is; \`limit\` and \`cursor\` are 400 then.`,
      answer: {
        ...pageOf('codes', Shown, example as never),
        file,
      },
      errors: { NOT_FOUND: NO_PARTNER },
    }),
    endpoint('settings', TAG, `PUT ${path}`, {
      operationId: `save${name}Codes`,
      summary: `Save many item codes of ${kind}`,
      description: `Enters codes and changes what they stand for, up to 10 MB of JSON or of CSV (commas, semicolons or tabs) with the columns ${columns.join(', ')}. Each row stands for itself: \`errors\` lists the first 1,000 rows that have failed, and the others are saved together. Of several rows with one code the last counts. \`replace=true\` removes the codes that no row names. ${CHANGES}`,
      body: { schema: Many, example: { item_codes: [example] }, csv: file },
      answer: {
        description: 'What the request has done.',
        data: ManyResult,
        example: {
          total: 1,
          created: 1,
          updated: 0,
          unchanged: 0,
          removed: 0,
          failed: 0,
          errors: [],
        },
      },
      errors: {
        VALIDATION_ERROR: wrong('item_codes', 'This field is required.'),
        NOT_FOUND: NO_PARTNER,
        ...thrown(tooManyCodes('products')),
      },
    }),
  ]
}

function ofOne(words: Words): Endpoint[] {
  const { one, name, path, code, meaning, example, Shown, Body, noCode } = words
  return [
    endpoint('settings', TAG, `GET ${path}{code}/`, {
      operationId: `find${name}Code`,
      summary: `Retrieve an item code of a ${one}`,
      description: 'Returns what the code stands for.',
      answer: { description: 'The code.', data: Shown, example: example as never },
      errors: { NOT_FOUND: noCode },
    }),
    endpoint('settings', TAG, `PUT ${path}{code}/`, {
      operationId: `save${name}Code`,
      summary: `Save an item code of a ${one}`,
      description: `Enters the code, or changes what it stands for. The ${one} need not exist yet. ${CHANGES} You can repeat this request.`,
      body: { schema: Body, example: meaning },
      answer: { description: 'The code.', data: Shown, example: example as never },
      errors: {
        VALIDATION_ERROR: wrong(words.field, 'This field is required.'),
        NOT_FOUND: NO_PARTNER,
        ...thrown(tooManyCodes('products')),
      },
    }),
    endpoint('settings', TAG, `DELETE ${path}{code}/`, {
      operationId: `delete${name}Code`,
      summary: `Delete an item code of a ${one}`,
      description: `Deletes the code. It is unknown from the next document on. The ${one} stays.`,
      answer: { description: 'The deleted code.', data: DeletedCode, example: { code } },
      errors: { NOT_FOUND: noCode },
    }),
  ]
}
