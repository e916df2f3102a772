const SHOWN_MS = 2000

/** Buttons with `data-copy` put that text on the clipboard, and say so for a moment. */
export function offerCopies(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    const label = [...button.childNodes]
    let timer = 0
    button.addEventListener('click', async () => {
      button.textContent = await copy(button.dataset.copy ?? '')
      clearTimeout(timer)
      timer = setTimeout(() => button.replaceChildren(...label), SHOWN_MS)
    })
  }
}

/** What to tell of it. Without TLS, but on localhost, a page has no clipboard. */
async function copy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text)
    return 'Copied'
  } catch {
    return 'Select and copy'
  }
}
