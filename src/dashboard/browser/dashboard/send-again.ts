// Long enough to read and to stop.
const PAUSE_MS = 1000

/** Sends one part of a run after the other, until all is sent or somebody stops it. */
export function goOnSending(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-goes-on]')
  const stop = form?.querySelector<HTMLButtonElement>('[data-stop]')
  if (!form || !stop) return
  const next = form.querySelector<HTMLButtonElement>('[type="submit"]')
  const pause = setTimeout(() => form.requestSubmit(), PAUSE_MS)
  if (next) next.hidden = true
  stop.hidden = false
  stop.addEventListener('click', () => {
    clearTimeout(pause)
    // A part that is under way ends on the server. "Continue" shows its results.
    window.stop()
    stop.hidden = true
    if (next) next.hidden = false
    next?.focus()
  })
}
