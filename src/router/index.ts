import type { RouterBindings } from './bindings.ts'
import { lead } from './lead.ts'

/** Stands before the Workers of an environment with several groups of tenants (docs/operations.md). */
export default {
  fetch: (request, env) => lead(request, env),
} satisfies ExportedHandler<RouterBindings>
