const SHOWN_MS = 2000

/** A button with `data-copy` copies that text to the clipboard and shows the result for two seconds. */
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

/** Returns the text for the button. Browsers offer the clipboard over HTTPS and on localhost only. */
async function copy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text)
    return 'Copied'
  } catch {
    return 'Select and copy'
  }
}
