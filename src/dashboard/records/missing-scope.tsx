import type { Scope } from '../../engine/identity/scopes.ts'

/** Shown in place of a part of a page. */
export function MissingScope({ scope }: { scope: Scope }) {
  return (
    <p class="nothing">
      You may not see this: you lack the scope <code>{scope}</code>.
    </p>
  )
}
