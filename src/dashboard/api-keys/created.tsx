import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { curlOf } from '../curl.ts'
import { CopyField } from '../parts/copy-field.tsx'
import { API_KEYS_PATH } from '../paths.ts'
import { showPage } from '../shell/page.tsx'

interface CreatedKey {
  name: string
  key: string
  scopes: string[]
}

/** Shows the value of a new key, once. A reload opens the list of keys and creates no second key. */
export function showCreatedKey(c: Context<AppEnv>, { name, key, scopes }: CreatedKey, more = '') {
  const curl = curlOf(c, key, scopes)
  c.status(201)
  return showPage(
    c,
    'API key created',
    <article class="created" data-address={API_KEYS_PATH}>
      <h1>API key “{name}” created</h1>
      <p role="status">
        Copy the key now: it is not shown again, and only its hash is stored. {more}
      </p>
      <CopyField label="API key" value={key} />
      {curl && <CopyField label="Try it" value={curl} />}
      <a class="button" href={API_KEYS_PATH}>
        I have copied it
      </a>
    </article>,
  )
}
