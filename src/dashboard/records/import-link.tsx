import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { may } from '../access.ts'
import { type ImportedResource, importPath } from '../paths.ts'

interface ImportLinkProps {
  c: Context<AppEnv>
  resource: ImportedResource
}

/** Leads to the import of a table, for a session whose key may do that. */
export function ImportLink({ c, resource }: ImportLinkProps) {
  const scopes = ['read', 'write'] as const
  if (!scopes.every((action) => may(c, `integrations.${resource}.${action}`))) return null
  return <a href={importPath(resource)}>Import CSV</a>
}
