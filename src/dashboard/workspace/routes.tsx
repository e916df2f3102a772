import { Hono } from 'hono'
import * as z from 'zod'
import type { AppEnv } from '../../env.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { updateWorkspace } from '../../settings/workspace/queries.ts'
import { UpdateWorkspace } from '../../settings/workspace/schema.ts'
import { formOf } from '../form.ts'
import { redirectDone } from '../notice.ts'
import { fieldsOfForm, showSwitch, showWorkspace } from './pages.tsx'

const PATH = '/dashboard/workspace/'

const write = requireScope('settings.write')

const Saved = z.object({
  name: UpdateWorkspace.shape.name,
  audit_retention_days: z
    .string()
    .regex(/^-?\d+$/, { error: 'Must be a whole number.' })
    .transform(Number)
    .pipe(UpdateWorkspace.shape.audit_retention_days.unwrap())
    .optional(),
})

const Switch = z.object({
  integration_enabled: z.stringbool({ truthy: ['true'], falsy: ['false'] }),
})

export const workspace = new Hono<AppEnv>()

workspace.get('/', (c) => showWorkspace(c, null, null))

workspace.post('/', write, async (c) => {
  const form = await formOf(c, (sent, error) => showWorkspace(c, fieldsOfForm(sent), error))
  await updateWorkspace(c.get('db'), check(Saved, fieldsOfForm(form)))
  return redirectDone(c, PATH, 'workspace-saved')
})

workspace.get('/integration/', write, (c) => showSwitch(c, null))

workspace.post('/integration/', write, async (c) => {
  const form = await formOf(c, (_, error) => showSwitch(c, error))
  const { integration_enabled } = check(Switch, {
    integration_enabled: form.text('integration_enabled'),
  })
  await updateWorkspace(c.get('db'), { integration_enabled })
  return redirectDone(c, PATH, integration_enabled ? 'switched-on' : 'switched-off')
})
