import type { PropsWithChildren } from 'hono/jsx'

interface FormButtonsProps {
  action: string
  /** Where Cancel leads. Without it there is no Cancel button. */
  back?: string
  look?: 'danger' | undefined
}

export function FormButtons({ action, back, look, children }: PropsWithChildren<FormButtonsProps>) {
  return (
    <div class="buttons">
      <button type="submit" class={look}>
        {action}
      </button>
      {children}
      {back && (
        <a class="button secondary outline" href={back}>
          Cancel
        </a>
      )}
    </div>
  )
}
