import type { Context } from 'hono'
import { readBody } from '../../engine/body/body.ts'
import type { AppEnv, Payload } from '../../engine/env.ts'
import { ApiError } from '../../engine/errors.ts'
import { isLarge, takeLargeWork } from '../../engine/exchange/memory.ts'
import { BODY_BYTES_MAX } from '../../engine/json/fields.ts'
import { Form } from './form.ts'
import { bytesMaxOf, parseForm, type Shape } from './shape.ts'

const MEDIA_TYPE = 'application/x-www-form-urlencoded'

async function parseBody(c: Context<AppEnv>, shape: Shape): Promise<Payload> {
  const bytes = await readBody(c, bytesMaxOf(shape))
  const [type = ''] = (c.req.header('Content-Type') ?? '').split(';')
  if (bytes.length > 0 && type.trim().toLowerCase() !== MEDIA_TYPE) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `Send the form as ${MEDIA_TYPE}.`, {
      reason: 'OTHER_MEDIA_TYPE',
    })
  }
  if (isLarge(bytes.length)) await takeLargeWork(c, BODY_BYTES_MAX)
  return { value: new Form(parseForm(bytes, shape)), bytes: bytes.length }
}

/**
 * Reads the submitted form, and keeps it for a replay, which cannot read the body again. From now on `show` renders
 * every error of the request: the same form, as it was filled in, with the error. 400 VALIDATION_ERROR, 413 and 415 for
 * what the page would not send have a page of their own: such a form is not shown again as if it was whole.
 */
export async function formOf(
  c: Context<AppEnv>,
  shape: Shape,
  show: (form: Form, error: ApiError) => Response | Promise<Response>,
): Promise<Form> {
  const { kept } = c.get('exchange')
  kept.payload ??= parseBody(c, shape)
  const { value: form } = await kept.payload
  if (!(form instanceof Form)) throw new Error('the body was read as something else')
  c.set('showForm', (error) => show(form, error))
  return form
}
