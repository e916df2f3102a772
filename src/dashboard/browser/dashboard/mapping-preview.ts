import { partOfPage } from './part-of-page.ts'

const UNREACHABLE =
  'The server did not answer. Check your connection, then edit a rule to try again.'

/** The server's preview of the form. The previous result stays visible until the next one arrives. */
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

  /** Loads the preview. Aborts a load that is still running. */
  async load(): Promise<void> {
    this.#loading.abort()
    const loading = new AbortController()
    this.#loading = loading
    this.#pane?.setAttribute('aria-busy', 'true')
    try {
      await this.#ask(loading.signal)
    } catch {
      if (!loading.signal.aborted) this.#fail(UNREACHABLE)
    }
    if (!loading.signal.aborted) this.#pane?.removeAttribute('aria-busy')
  }

  /** What the server has read of a sample that is no JSON, as JSON; null if it has not. */
  get outline(): string | null {
    return this.#pane?.querySelector<HTMLDataElement>('[data-outline]')?.value ?? null
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const pane = await partOfPage(this.#form, this.#form.dataset.previewAt ?? '', 'preview', signal)
    if (typeof pane === 'string') return this.#fail(pane)
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

  /** Screen readers announce the verdict when its text changes. They do not announce the findings. */
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
