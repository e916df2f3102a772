import type { PropsWithChildren } from 'hono/jsx'

/** Shown in place of an empty list. */
export function Empty({ text, children }: PropsWithChildren<{ text: string }>) {
  return (
    <article class="empty">
      <p>{text}</p>
      {children}
    </article>
  )
}
