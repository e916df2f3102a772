/** What a rule makes of its value before it is written; in this order: values, as, default, required. */
export interface SavedSteps {
  /** A table from the texts of values to what is written instead. `*` stands for all others. */
  values?: Record<string, Scalar>
  as?: ConversionKind
  /** For `as: "datetime"`. */
  format?: Format
  /** Written where there is no value. */
  default?: unknown
  required?: boolean
}

export type Scalar = string | number | boolean | null
export const CONVERSION_KINDS = ['string', 'integer', 'decimal', 'boolean', 'datetime'] as const
export type ConversionKind = (typeof CONVERSION_KINDS)[number]
export const FORMATS = ['epoch_seconds', 'epoch_milliseconds'] as const
export type Format = (typeof FORMATS)[number]

/** Where a target's value comes from, as saved. */
export type SavedRule =
  /** A path of the source document. */
  | string
  /** With a list of paths, the first that has a value. */
  | ({ from: string | string[] } & SavedSteps)
  /** The texts of all parts that have a value, with `with` between them. */
  | ({ join: (string | { value: string })[]; with?: string } & SavedSteps)
  /** For a target that ends in `[]`: an element for each one that the path leads to. */
  | { each: string }
  | { value: unknown }

/** One direction of a mapping, as saved: `fields` has the rules by target path. */
export interface SavedRules {
  /** What happens to top-level fields that no rule reads and no rule writes. */
  unmapped: 'keep' | 'drop' | 'reject'
  fields: Record<string, SavedRule>
}
