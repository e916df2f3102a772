import type { ImportedResource } from '../paths.ts'
import type { SheetForm } from './sheet.ts'

/** What the pages of an import say and show of their own. */
export interface ImportPages {
  resource: ImportedResource
  /** What the table has, within a sentence: `stock`. */
  what: string
  /** `records` of stock. */
  many: string
  sheet: SheetForm
  /** What becomes of the rows, in sentences. */
  rules: string
  example: string
}
