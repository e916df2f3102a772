import * as z from 'zod'
import { knownCharset } from './charset.ts'
import type { CsvOptions } from './csv.ts'
import type { FormOptions } from './form.ts'
import type { XmlOptions } from './xml.ts'

const NAME_LENGTH_MAX = 128
const ADDRESS_LENGTH_MAX = 256
const PREFIXES_MAX = 20
const PREFIX = /^(?:[A-Za-z_][\w.-]{0,31})?$/

/** How a mapping reads documents that are no JSON, as it is saved. */
export interface FormatOptions {
  csv?: CsvOptions | undefined
  form?: FormOptions | undefined
  xml?: XmlOptions | undefined
}

const Separator = z.enum([',', ';', '\t'], {
  error: 'Must be a comma, a semicolon or a tab. Without it the first row tells.',
})

const Charset = z
  .string()
  .max(NAME_LENGTH_MAX)
  .refine((name) => knownCharset(name) !== null, {
    error: 'Must be a charset that can be read, such as windows-1252.',
  })

const Prefixes = z
  .record(
    z.string().regex(PREFIX, 'Must be a prefix, such as cbc.'),
    z.string().min(1).max(ADDRESS_LENGTH_MAX),
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
    json: z.string().min(1).max(NAME_LENGTH_MAX).exactOptional(),
    charset: Charset.exactOptional(),
  }),
  xml: z.strictObject({ prefixes: Prefixes.exactOptional() }),
}

/** Those options alone. */
export function formatOptionsIn({ csv, form, xml }: FormatOptions): FormatOptions {
  return { ...(csv && { csv }), ...(form && { form }), ...(xml && { xml }) }
}
