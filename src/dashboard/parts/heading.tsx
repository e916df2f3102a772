import type { PropsWithChildren } from 'hono/jsx'

/** The page's heading, with actions beside it. */
export function Heading({ text, children }: PropsWithChildren<{ text: string }>) {
  return (
    <div class="heading">
      <h1>{text}</h1>
      <div class="actions">{children}</div>
    </div>
  )
}
