import { partOfPage } from './part-of-page.ts'

const UNREACHABLE = 'The server did not answer. Check your connection and try again.'

/** Tries the mapping in the form on kept documents, and shows the result without a new page. */
export function offerReplay(form: HTMLFormElement): void {
  const button = form.querySelector<HTMLButtonElement>('[data-replay-button]')
  if (!button) return
  let isRunning = false
  form.addEventListener('submit', async (event) => {
    if (event.submitter !== button) return
    event.preventDefault()
    if (isRunning) return
    isRunning = true
    button.setAttribute('aria-busy', 'true')
    const at = button.formAction
    show(form, await partOfPage(form, at, 'replay').catch(() => UNREACHABLE))
    button.removeAttribute('aria-busy')
    isRunning = false
  })
  form.addEventListener('input', ({ target }) => {
    const isRule = (target as Element).closest('.mapping') !== null
    if (isRule) form.querySelector<HTMLElement>('[data-outdated]')?.removeAttribute('hidden')
  })
}

function show(form: HTMLFormElement, result: HTMLElement | string): void {
  const pane = form.querySelector<HTMLElement>('#replay')
  if (!pane) return
  pane.replaceChildren(...(typeof result === 'string' ? [refusal(result)] : result.childNodes))
  pane.hidden = false
  pane.focus({ preventScroll: true })
  pane.scrollIntoView({ block: 'start' })
}

function refusal(message: string): HTMLElement {
  const paragraph = document.createElement('p')
  paragraph.className = 'form-error'
  paragraph.textContent = message
  return paragraph
}
