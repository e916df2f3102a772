import type { Scope } from '../../engine/identity/scopes.ts'

/** Shown in place of a part of a page. */
export function MissingScope({ scope }: { scope: Scope }) {
  return (
    <p class="nothing">
      Your key may not see this: it lacks the scope <code>{scope}</code>.
    </p>
  )
}
