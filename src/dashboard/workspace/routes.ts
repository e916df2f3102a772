import { Hono } from 'hono'
import * as z from 'zod'
import type { AppEnv } from '../../engine/env.ts'
import { byName } from '../../engine/json/by-name.ts'
import { keepable } from '../../engine/redaction/policy.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { findWorkspace, updateWorkspace } from '../../settings/workspace/queries.ts'
import { NUMBERS, Workspace } from '../../settings/workspace/schema.ts'
import { keepDocumentsOf } from '../documents/form.ts'
import { formOf } from '../form/read.ts'
import { versionsSent } from '../form/version.tsx'
import { WORKSPACE_PATH } from '../paths.ts'
import { addPause } from '../pause/routes.tsx'
import { redirectDone } from '../shell/notice.ts'
import { sentWorkspace, showWorkspace, WORKSPACE } from './form.tsx'
import { SWITCH, showSwitch } from './integration.tsx'

const write = requireScope('settings.workspace.write')

const WholeNumber = z
  .string()
  .regex(/^-?\d+$/, { error: 'Must be a whole number.' })
  .transform(Number)

const { name, keep_documents } = Workspace.Update.shape
const Saved = z.object({
  name,
  ...byName(NUMBERS, (name) => WholeNumber.pipe(Workspace.Update.shape[name].unwrap())),
  keep_documents,
})

const Switch = z.object({
  integration_enabled: z.stringbool({ truthy: ['true'], falsy: ['false'] }),
})

export const workspacePages = new Hono<AppEnv>()

workspacePages.use(requireScope('settings.workspace.read'))

workspacePages.get('/', (c) => showWorkspace(c, null, null))

workspacePages.post('/', write, async (c) => {
  const form = await formOf(c, WORKSPACE, (sent, error) =>
    showWorkspace(c, sentWorkspace(sent), error),
  )
  const { documents, version, ...texts } = sentWorkspace(form)
  const input = check(Saved, { ...texts, keep_documents: keepDocumentsOf(form) })
  await updateWorkspace(c.get('db'), keepable(c.env, input), versionsSent(form))
  return redirectDone(c, WORKSPACE_PATH, 'workspace-saved')
})

addPause(workspacePages, {
  path: '/pause/',
  write,
  whose: 'every key',
  back: () => WORKSPACE_PATH,
  find: (c) => findWorkspace(c.get('db')),
  save: (c, _, pause, versions) => updateWorkspace(c.get('db'), { pause }, versions),
})

workspacePages.get('/integration/', write, (c) => showSwitch(c, null))

workspacePages.post('/integration/', write, async (c) => {
  const form = await formOf(c, SWITCH, (_, error) => showSwitch(c, error))
  const { integration_enabled } = check(Switch, {
    integration_enabled: form.text('integration_enabled'),
  })
  await updateWorkspace(c.get('db'), { integration_enabled }, versionsSent(form))
  return redirectDone(c, WORKSPACE_PATH, integration_enabled ? 'switched-on' : 'switched-off')
})
