import type { FormatOptions } from '../formats/options.ts'
import type { CodeKind } from './item-code.ts'

/** What a rule makes of its value before it is written; in this order: none, text, values, as, less, times, default, required. */
export interface SavedSteps {
  /** Scalars that are no value in this document. Dates compare as dates. */
  none?: Scalar[]
  /** Takes a part of a text, step by step. */
  text?: SavedTextStep[]
  /** A table from the texts of values to what is written instead. `*` stands for all others. */
  values?: SavedValues
  as?: ConversionKind
  /** For `as: "datetime"`: an epoch, or a pattern of Unicode TR 35 such as `dd.MM.yyyy HH:mm`. */
  format?: Format | (string & {})
  /** For `as: "datetime"`: the IANA zone of times without an offset. UTC without it. */
  zone?: string
  /** For `as: "decimal"` and `as: "integer"`: a text has a comma before its fraction, and points between thousands. */
  decimal?: ','
  /** For `as: "integer"`: paths to what is taken off it. Several values of one path add up. */
  less?: string[]
  /** For `as: "integer"`: a path or an integer that multiplies what is left. */
  times?: string | number
  /** Leaves out the line that has nothing left. */
  at_zero?: 'leave_out'
  /** Written where there is no value. */
  default?: unknown
  /** The text that is written is an item code of the partner. It is looked up when the document is applied. */
  code?: SavedCode
  required?: boolean
}

/** With `or_own`, a text that is no item code may be our own code. */
export type SavedCode = CodeKind | { of: CodeKind; or_own?: boolean }

/**
 * `part` counts from 1, or from the end with negative numbers. A text without the mark stays as it is; if the step is
 * strict, it is no value.
 */
export type SavedTextStep =
  | 'trim'
  | { after: string; strict?: boolean }
  | { before: string; strict?: boolean }
  | { after_last: string; strict?: boolean }
  | { before_last: string; strict?: boolean }
  /** Off the beginning and off the end, once each. */
  | { without: string[]; strict?: boolean }
  | { part: number; of: string; strict?: boolean }

/** `{"as": "is"}` is for `*` alone: other values stay as they are. */
export type SavedValues = Record<string, Scalar | AsIs>
export type AsIs = { as: 'is' }
export type Scalar = string | number | boolean | null
export const CONVERSION_KINDS = ['string', 'integer', 'decimal', 'boolean', 'datetime'] as const
export type ConversionKind = (typeof CONVERSION_KINDS)[number]
export const FORMATS = ['epoch_seconds', 'epoch_milliseconds'] as const
export type Format = (typeof FORMATS)[number]

/** A path, a fixed text, or what labels and values there are: `colour: red`. A value without a label stands alone. */
export type SavedPart = string | { value: string } | SavedPair
export type SavedPair = { pair: [label: string, value: string]; with?: string }

/** Where a target's value comes from, as saved. */
export type SavedRule =
  /** A path of the source document. */
  | string
  /** With a list of paths, the first that has a value. */
  | ({ from: string | string[] } & SavedSteps)
  /** The texts of all parts that have a value, with `with` between them. */
  | ({ join: SavedPart[]; with?: string } & SavedSteps)
  /** For a target that ends in `[]`: an element for each one that the path leads to; with `split`, for each part of the text there. */
  | { each: string; split?: string }
  | { value: unknown }

/**
 * A record for each element that `each` leads to; with `group_by`, for all elements that have the same values at these
 * paths.
 */
export interface SavedRecords {
  each: string
  group_by?: string[]
}

/** One direction of a mapping, as saved: `fields` has the rules by target path. Options of formats are inbound only. */
export interface SavedRules extends FormatOptions {
  /** What happens to top-level fields that no rule reads and no rule writes. */
  unmapped: 'keep' | 'drop' | 'reject'
  /** As `none` of each rule. Inbound only. */
  none?: Scalar[]
  /** A single value is a list of one where a path looks for a list. Inbound only. */
  single_as_list?: boolean
  /** The document has several records. Inbound only. */
  records?: SavedRecords
  /** An index that reads the first of several records is meant. Inbound only. */
  first?: true
  fields: Record<string, SavedRule>
}
