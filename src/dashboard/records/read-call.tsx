import type { Context } from 'hono'
import type { PropsWithChildren } from 'hono/jsx'
import type { AppEnv } from '../../engine/env.ts'
import type { AddressableResource } from '../../engine/mapping/identifier.ts'
import { curlReading, encodedPart } from '../curl.ts'
import { CopyField } from '../parts/copy-field.tsx'

interface ReadCallProps {
  c: Context<AppEnv>
  resource: AddressableResource
  name: string
}

/** For developers: the call that reads the record, and what else they look for. */
export function ReadCall({ c, resource, name, children }: PropsWithChildren<ReadCallProps>) {
  const path = `integrations/v1/${resource}/${encodedPart(name)}/`
  return (
    <details class="developers">
      <summary>For developers</summary>
      <CopyField label="Read it with the API" value={curlReading(c, path)} />
      {children}
    </details>
  )
}
