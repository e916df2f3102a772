const SIGNED_OUT = 'You are signed out. Sign in again in another tab, then go on here.'
const UNREACHABLE = 'The preview could not be loaded: there was no answer.'

/** What the server makes of the form as it stands. The last result stays until there is another. */
export class Preview {
  readonly #form: HTMLFormElement
  readonly #pane: HTMLElement | null
  #loading = new AbortController()

  constructor(form: HTMLFormElement) {
    this.#form = form
    this.#pane = form.querySelector<HTMLElement>('#preview')
    const button = form.querySelector<HTMLButtonElement>('[data-preview-button]')
    if (button) button.hidden = true
  }

  /** Gives up on whatever is being loaded. */
  async load(): Promise<void> {
    this.#loading.abort()
    const loading = new AbortController()
    this.#loading = loading
    this.#pane?.setAttribute('aria-busy', 'true')
    try {
      await this.#show(await this.#ask(loading.signal))
    } catch {
      if (!loading.signal.aborted) this.#fail(UNREACHABLE)
    }
    if (!loading.signal.aborted) this.#pane?.removeAttribute('aria-busy')
  }

  async #ask(signal: AbortSignal): Promise<Response> {
    const body = new FormData(this.#form)
    body.set('pane', '1')
    return await fetch(this.#form.dataset.previewAt ?? '', { method: 'POST', body, signal })
  }

  async #show(answer: Response): Promise<void> {
    if (answer.redirected) return this.#fail(SIGNED_OUT)
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const pane = page.getElementById('preview')
    if (!answer.ok || !pane) {
      const message = page.querySelector('.form-error') ?? page.querySelector('h1')
      return this.#fail(message?.textContent ?? `The answer was ${answer.status}.`)
    }
    const isOpen = this.#pane?.querySelector<HTMLDetailsElement>('.record')?.open ?? false
    pane.querySelector('.record')?.toggleAttribute('open', isOpen)
    this.#exchange(pane)
  }

  #fail(message: string): void {
    const verdict = this.#pane?.querySelector('[data-verdict]')
    if (!verdict) return
    verdict.className = 'verdict bad'
    verdict.textContent = message
  }

  /** The verdict is read out when it changes; the findings are not. */
  #exchange(pane: HTMLElement): void {
    const [shown, verdict] = [this.#pane, pane].map((part) => part?.querySelector('[data-verdict]'))
    if (shown && verdict) {
      shown.className = verdict.className
      if (shown.textContent !== verdict.textContent) shown.textContent = verdict.textContent
    }
    const findings = pane.querySelector('[data-findings]')
    if (findings) this.#pane?.querySelector('[data-findings]')?.replaceWith(findings)
  }
}
