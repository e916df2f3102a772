import type { PropsWithChildren } from 'hono/jsx'

interface FormButtonsProps {
  action: string
  /** Where Cancel leads. Without it there is no Cancel button. */
  back?: string
  /** What it says instead. */
  backText?: string | undefined
  look?: 'danger' | undefined
}

export function FormButtons(props: PropsWithChildren<FormButtonsProps>) {
  const { action, back, backText = 'Cancel', look, children } = props
  return (
    <div class="buttons">
      <button type="submit" class={look}>
        {action}
      </button>
      {children}
      {back && (
        <a class="button secondary outline" href={back}>
          {backText}
        </a>
      )}
    </div>
  )
}
