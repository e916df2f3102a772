import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type * as z from 'zod'
import type { AppEnv } from '../env.ts'
import { invalid } from '../errors.ts'
import type { JsonObject } from '../fields.ts'
import type { Resource } from '../mapping/identifier.ts'
import { fieldErrors, messageOf } from '../messages.ts'
import { sourced } from '../source.ts'
import { unusedFields } from '../warnings.ts'
import { mapInbound } from './mapping.ts'
import { readPayload } from './payload.ts'
import { withoutUnreleased } from './release.ts'

/**
 * Checks the JSON body; the handler finds it as `c.req.valid('json')`. The schema may depend on the
 * path.
 */
export function body<Schema extends z.ZodType<object>>(
  schema: Schema | ((c: Context<AppEnv>) => Schema),
) {
  type Checked = { in: { json: z.input<Schema> }; out: { json: z.output<Schema> } }
  return createMiddleware<AppEnv, string, Checked>(async function body(c, next) {
    accept(c, typeof schema === 'function' ? schema(c) : schema, await readPayload(c))
    await next()
  })
}

/** As `body`, of a document that a partner may write in its own words: maps it, then checks it. */
export function mappedBody<Schema extends z.ZodType<object>>(resource: Resource, schema: Schema) {
  type Checked = { in: { json: z.input<Schema> }; out: { json: z.output<Schema> } }
  return createMiddleware<AppEnv, string, Checked>(async function mappedBody(c, next) {
    accept(c, schema, mapInbound(c, resource, await readPayload(c)))
    await next()
  })
}

function accept(c: Context<AppEnv>, schema: z.ZodType<object>, value: JsonObject): void {
  const { known, warnings } = withoutUnreleased(c, value)
  c.req.addValidatedData('json', check(schema, known))
  const unused = [...warnings, ...unusedFields(schema, known)]
  const told = unused.map((warning) => sourced(warning, c.get('sourceOf')))
  c.set('warnings', [...c.get('warnings'), ...told])
}

/** Checks the query parameters; the handler finds them as `c.req.valid('query')`. */
export function query<Schema extends z.ZodType<object>>(schema: Schema) {
  type Checked = { in: { query: z.input<Schema> }; out: { query: z.output<Schema> } }
  return createMiddleware<AppEnv, string, Checked>(async function query(c, next) {
    const { known, warnings } = withoutUnreleased(c, c.req.queries())
    const parameters = Object.fromEntries(Object.entries(known).map(single))
    const assumed = c.get('change')?.assumes
    c.req.addValidatedData('query', check(schema, { ...parameters, ...assumed }))
    c.set('warnings', [...warnings, ...unusedFields(schema, parameters)])
    await next()
  })
}

/** What the schema makes of the value; 400 VALIDATION_ERROR naming every bad field. */
export function check<Schema extends z.ZodType<object>>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: messageOf })
  if (result.success) return result.data as z.output<Schema>
  throw invalid(fieldErrors(result.error.issues))
}

function single([name, values]: [string, string[]]): [string, string | undefined] {
  if (values.length > 1) throw invalid({ [name]: ['Give this parameter once.'] })
  return [name, values[0]]
}
