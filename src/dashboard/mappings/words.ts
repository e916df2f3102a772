import type { Row } from './draft.ts'

/** The labels of each direction. */
export const WORDS = {
  inbound: {
    target: 'Our field',
    source: 'Their path',
    subject: 'Documents',
    modes: [
      ['', 'Not mapped: read as they are sent'],
      ['keep', 'Mapped; fields that no rule reads are kept under their own names'],
      ['drop', 'Mapped; fields that no rule reads are dropped'],
      ['reject', 'Mapped; a document with fields that no rule reads is refused'],
    ],
  },
  outbound: {
    target: 'Their field',
    source: 'Our path',
    subject: 'Records',
    modes: [
      ['', 'Not mapped: returned in our own schema'],
      ['drop', 'Mapped; fields that no rule reads are left out'],
      ['keep', 'Mapped; fields that no rule reads are kept under our names'],
    ],
  },
} as const

export const KIND_NAMES = {
  path: 'path',
  required: 'path, required',
  join: 'joined texts',
  join_required: 'joined, required',
  each: 'each element of',
  value: 'fixed value (JSON)',
} as const

/** Short: a select shows about twelve characters. */
export const CONVERSION_NAMES = {
  '': 'as it is',
  string: 'as text',
  integer: 'as integer',
  decimal: 'as decimal',
  boolean: 'as true/false',
  datetime: 'as datetime',
  epoch_seconds: 'Unix seconds',
  epoch_milliseconds: 'Unix ms',
  comma_decimal: 'as 1.234,5',
  comma_integer: 'as 1.234',
} as const

export const CODE_NAMES: Record<Row['code'], string> = {
  '': 'No: it is our own code',
  products: 'Yes, of a product',
  locations: 'Yes, of a location',
  products_or_own: 'Yes, of a product, or else our SKU',
  locations_or_own: 'Yes, of a location, or else our code',
}
