import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { RESOURCES } from '../../engine/mapping/identifier.ts'
import { may } from '../access.ts'
import { askedOf } from '../form/version.tsx'
import { Heading } from '../parts/heading.tsx'
import { type MappingPlace, mappingFilePath, mappingPath, settingsHistoryPath } from '../paths.ts'
import { showPage } from '../shell/page.tsx'
import { mayUseFile } from './send-file.ts'

interface Frame {
  partner: { id: string; name: string }
  content: unknown
  /** Of the mapping that is shown and can be deleted. */
  version?: number | undefined
}

export function showFrame(
  c: Context<AppEnv>,
  place: MappingPlace,
  { partner, content, version }: Frame,
) {
  const title = `${partner.name}: ${place.resource}`
  return showPage(
    c,
    title,
    <div class="wide">
      <Heading text={title}>
        <a href={`/dashboard/partners/${partner.id}/`}>Partner</a>
        {may(c, 'settings.audit.read') && (
          <a href={settingsHistoryPath({ record_id: partner.id, resource: place.resource })}>
            All changes
          </a>
        )}
        {version !== undefined && mayUseFile(c, place) && (
          <a href={mappingFilePath(place)}>Use a file</a>
        )}
        {version !== undefined && (
          <a href={askedOf(`${mappingPath(place)}delete/`, version)}>Delete mapping</a>
        )}
      </Heading>
      <ResourceLinks {...place} />
      {content}
    </div>,
  )
}

function ResourceLinks({ partnerId, resource }: MappingPlace) {
  return (
    <nav class="resources" aria-label="Mappings of the partner">
      {RESOURCES.map((other) => (
        <a
          href={mappingPath({ partnerId, resource: other })}
          aria-current={other === resource ? 'page' : undefined}
        >
          {other} <span class="for-reader">mapping</span>
        </a>
      ))}
    </nav>
  )
}
