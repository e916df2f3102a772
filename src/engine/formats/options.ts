import * as z from 'zod'
import { CHARSET_NAMES } from './charset.ts'
import type { CsvOptions } from './csv.ts'
import type { FormOptions } from './form.ts'
import type { XmlOptions } from './xml.ts'

const NAME_LENGTH_MAX = 128
const ADDRESS_LENGTH_MAX = 256
export const PREFIXES_MAX = 20
/** White space at its ends would be lost in a form. */
const LINE = /^\S(?:.*\S)?$/
const NOT_A_LINE = 'Must be one line, without white space at its ends.'
const PREFIX = /^(?:[A-Za-z][\w.-]{0,31})?$/

/** How a mapping reads documents that are no JSON, as it is saved. */
export interface FormatOptions {
  csv?: CsvOptions | undefined
  form?: FormOptions | undefined
  xml?: XmlOptions | undefined
}

const Separator = z.enum([',', ';', '\t'], {
  error: 'Must be a comma, a semicolon or a tab. Without it the first row tells.',
})

const Charset = z.enum(CHARSET_NAMES, {
  error: `Must be a charset that can be read: ${CHARSET_NAMES.join(', ')}.`,
})

/** Namespaces by their prefixes. */
export const Prefixes = z
  .record(
    z.string().regex(PREFIX, 'Must be a prefix, such as cbc.'),
    z.string().max(ADDRESS_LENGTH_MAX).regex(LINE, NOT_A_LINE),
  )
  .refine((prefixes) => Object.keys(prefixes).length <= PREFIXES_MAX, {
    error: `Must have at most ${PREFIXES_MAX} prefixes.`,
  })
  .refine((prefixes) => new Set(Object.values(prefixes)).size === Object.keys(prefixes).length, {
    error: 'Two prefixes are of the same namespace.',
  })

/** The schemas of the options, by their names. */
export const FORMAT_OPTIONS = {
  csv: z.strictObject({
    separator: Separator.exactOptional(),
    header: z.boolean().exactOptional(),
  }),
  form: z.strictObject({
    json: z.string().max(NAME_LENGTH_MAX).regex(LINE, NOT_A_LINE).exactOptional(),
    charset: Charset.exactOptional(),
  }),
  xml: z.strictObject({ prefixes: Prefixes.exactOptional() }),
}

/** Those options alone. */
export function formatOptionsIn({ csv, form, xml }: FormatOptions): FormatOptions {
  return { ...(csv && { csv }), ...(form && { form }), ...(xml && { xml }) }
}
