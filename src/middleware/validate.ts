import { createMiddleware } from 'hono/factory'
import type { z } from 'zod'
import type { AppEnv } from '../env.ts'
import { invalid } from '../errors.ts'
import { fieldErrors, messageOf } from '../messages.ts'
import { unusedFields } from '../warnings.ts'
import { readPayload } from './payload.ts'

/** Checks the JSON body; the handler finds it as `c.req.valid('json')`. */
export function body<Schema extends z.ZodType<object>>(schema: Schema) {
  type Checked = { in: { json: z.input<Schema> }; out: { json: z.output<Schema> } }
  return createMiddleware<AppEnv, string, Checked>(async function body(c, next) {
    const payload = await readPayload(c)
    c.req.addValidatedData('json', check(schema, payload))
    c.set('warnings', unusedFields(schema, payload))
    await next()
  })
}

/** Checks the query parameters; the handler finds them as `c.req.valid('query')`. */
export function query<Schema extends z.ZodType<object>>(schema: Schema) {
  type Checked = { in: { query: z.input<Schema> }; out: { query: z.output<Schema> } }
  return createMiddleware<AppEnv, string, Checked>(async function query(c, next) {
    const parameters = Object.fromEntries(Object.entries(c.req.queries()).map(single))
    c.req.addValidatedData('query', check(schema, parameters))
    c.set('warnings', unusedFields(schema, parameters))
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
