import type { Staging } from './staging.ts'

export const DEPLOYMENTS = ['script.put', 'version.create', 'deployment.create']

/** Calls of commands that look at everything and change nothing. */
export const READING = ['d1.list', 'd1.query', 'deployment.list', 'version.get']

/** Calls that would put a new version at the Worker's place. */
export const deployments = ({ cloudflare }: Staging) =>
  cloudflare.calls.map(({ kind }) => kind).filter((kind) => DEPLOYMENTS.includes(kind))

/** What uploads say of new classes of Durable Objects. */
export const migrations = ({ cloudflare }: Staging) =>
  cloudflare.calls
    .filter(({ kind }) => ['script.put', 'version.create'].includes(kind))
    .map(({ body }) => (body as { metadata: { migrations?: object } }).metadata.migrations)
