import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type * as z from 'zod'
import { sendsCsv } from '../engine/body/csv.ts'
import { readJsonObject } from '../engine/body/payload.ts'
import type { AppEnv } from '../engine/env.ts'
import { type FieldErrors, invalid } from '../engine/errors.ts'
import { stating } from '../engine/exchange/contract.ts'
import { unknownToList } from '../engine/exchange/parameters.ts'
import { settledNumbers } from '../engine/json/exact-number.ts'
import type { JsonObject } from '../engine/json/json-object.ts'
import { fieldErrors, messageOf } from '../engine/json/messages.ts'
import { withUnknownBeside } from '../engine/json/missing.ts'
import { membersOf } from '../engine/json/shape.ts'
import { sourced } from '../engine/json/source.ts'
import { unusedFields } from '../engine/json/warnings.ts'
import { releasedFields, releasedParameters } from './release.ts'

/** The type of `c.req.valid(target)` in the handlers that follow. */
export type Checked<Target extends 'json' | 'query', Schema extends z.ZodType> = {
  in: { [K in Target]: z.input<Schema> }
  out: { [K in Target]: z.output<Schema> }
}

interface BodyOptions {
  /** A member whose numbers keep their digits, also those that would only print differently (`1.50`). */
  exact?: string
  /** Reads a body of text/csv as such an object. */
  csv?: (c: Context<AppEnv>) => Promise<JsonObject>
}

/** Checks the JSON body. The schema may depend on the path. */
export function body<Schema extends z.ZodType<object>>(
  schema: Schema | ((c: Context<AppEnv>) => Schema),
  { exact, csv }: BodyOptions = {},
) {
  const dependsOnPath = typeof schema === 'function'
  const checking = createMiddleware<AppEnv, string, Checked<'json', Schema>>(
    async function body(c, next) {
      const { value } =
        csv && sendsCsv(c)
          ? { value: await csv(c) }
          : await readJsonObject(c, { keepsDigits: exact !== undefined })
      const document = exact === undefined ? value : settledBut(value, exact)
      const checked = checkedDocument(c, dependsOnPath ? schema(c) : schema, document)
      c.req.addValidatedData('json', checked)
      await next()
    },
  )
  return stating(checking, { body: dependsOnPath ? null : schema })
}

function settledBut(value: JsonObject, exact: string): JsonObject {
  const settled = Object.entries(value).map(([name, member]) => {
    return [name, name === exact ? member : settledNumbers(member)]
  })
  return Object.fromEntries(settled)
}

/** The document as the schema parses it. Names its fields without effect in `warnings`. */
export function checkedDocument<Schema extends z.ZodType<object>>(
  c: Context<AppEnv>,
  schema: Schema,
  document: JsonObject,
  faults: FieldErrors = {},
): z.output<Schema> {
  const { known, warnings } = releasedFields(c, document)
  const checked = check(schema, known, faults)
  const unused = [...warnings, ...unusedFields(schema, known)]
  const told = unused.map((warning) => sourced(warning, c.get('sourceOf')))
  c.set('warnings', [...c.get('warnings'), ...told])
  return checked
}

/**
 * Checks the query parameters. Of a list, an endpoint whose data is an array, 400 VALIDATION_ERROR names those that the
 * schema does not know, unless the release takes them. Other endpoints warn of them.
 */
export function query<Schema extends z.ZodType<object>>(schema: Schema, { isOfList = true } = {}) {
  const names = Object.keys(membersOf(schema))
  const checking = createMiddleware<AppEnv, string, Checked<'query', Schema>>(
    async function query(c, next) {
      c.set('parameters', [...c.get('parameters'), ...names])
      const { known, warnings } = releasedParameters(c, c.req.queries(), names)
      const asked = Object.entries(known).filter(([name]) => names.includes(name))
      const assumed = c.get('change')?.assumes
      c.set('warnings', warnings)
      const parameters = { ...Object.fromEntries(asked.map(single)), ...assumed }
      const mayBeUnknown = !isOfList || c.get('release').takesUnknownParameters
      const unknown = mayBeUnknown ? {} : unknownToList(c)
      c.req.addValidatedData('query', check(schema, parameters, unknown, reasonOf))
      await next()
    },
  )
  return stating(checking, { query: schema })
}

/** The value as the schema parses it. 400 VALIDATION_ERROR names every wrong field, and those of `faults`. */
export function check<Schema extends z.ZodType<object>>(
  schema: Schema,
  value: unknown,
  faults: FieldErrors = {},
  reason: typeof reasonOf | (() => undefined) = () => undefined,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: messageOf })
  const issues = result.error?.issues ?? []
  const fields = { ...withUnknownBeside(fieldErrors(issues), schema, value), ...faults }
  const names = Object.keys(fields)
  if (names.length > 0) throw invalid(fields, reason(names, issues))
  return result.data as z.output<Schema>
}

/** Why the parameters with these names are refused, if all of them have one reason. */
function reasonOf(names: string[], issues: z.core.$ZodIssue[]) {
  if (issues.length === 0) return 'UNKNOWN_PARAMETER'
  return names.every((name) => name === 'cursor') ? 'INVALID_CURSOR' : undefined
}

function single([name, values]: [string, string[]]): [string, string | undefined] {
  if (values.length > 1) throw invalid({ [name]: ['Give this parameter once.'] })
  return [name, values[0]]
}
