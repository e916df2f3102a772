import type { Context } from 'hono'
import { BODY_BYTES_MAX } from '../../document/fields.ts'
import type { AppEnv, Payload } from '../../env.ts'
import { ApiError } from '../../errors.ts'
import { readBody } from '../../middleware/body.ts'
import { isLarge, takeLargeWork } from '../../middleware/memory.ts'
import { Form } from './form.ts'

/** Reads the request's form, and keeps it for a replay, which cannot read the body again. */
async function readForm(c: Context<AppEnv>, bytesMax: number): Promise<Form> {
  const { kept } = c.get('exchange')
  kept.payload ??= parseForm(c, bytesMax)
  const { value } = await kept.payload
  return new Form(value as FormData)
}

async function parseForm(c: Context<AppEnv>, bytesMax: number): Promise<Payload> {
  const bytes = await readBody(c, bytesMax)
  if (isLarge(bytes.length)) await takeLargeWork(c, BODY_BYTES_MAX)
  const headers = { 'Content-Type': c.req.header('Content-Type') ?? '' }
  const value = await new Response(bytes, { headers }).formData().catch(() => {
    throw new ApiError('VALIDATION_ERROR', 'The form could not be read. Reload the page.')
  })
  return { value, bytes: bytes.length }
}

/**
 * Reads the submitted form, of at most `bytesMax` bytes. From now on `show` renders every error of the
 * request: the same form, as it was filled in, with the error.
 */
export async function formOf(
  c: Context<AppEnv>,
  show: (form: Form, error: ApiError) => Response | Promise<Response>,
  bytesMax = BODY_BYTES_MAX,
): Promise<Form> {
  const form = await readForm(c, bytesMax)
  c.set('showForm', (error) => show(form, error))
  return form
}
