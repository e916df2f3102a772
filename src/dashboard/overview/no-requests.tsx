import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { may } from '../access.ts'
import { curlOf } from '../curl.ts'
import { Empty } from '../parts/empty.tsx'
import { PRESETS } from '../ranges/presets.ts'
import type { View } from './view.ts'

/** How to begin, unless one partner or key was asked for. */
export function NoRequests({ c, view }: { c: Context<AppEnv>; view: View }) {
  const { preset, partner_id, api_key_id } = view
  const when = preset === undefined ? 'this range' : `the last ${PRESETS[preset].text}`
  const isNarrowed = partner_id !== undefined || api_key_id !== undefined
  if (isNarrowed) return <Empty text={`No such requests to the integrations API in ${when}.`} />
  return (
    <Empty text={`No requests to the integrations API in ${when}.`}>
      <p>
        Try it: <code>{curlOf(c, '…', ['integrations.*'])}</code>
      </p>
      {may(c, 'settings.keys.read') && may(c, 'settings.keys.write') && (
        <a class="button" href="/dashboard/new/api-key/">
          Create key
        </a>
      )}
    </Empty>
  )
}
