/** Buttons with `data-copy` put that text on the clipboard, and say so. */
export function offerCopies(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    button.addEventListener('click', () => copy(button))
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const label = button.textContent
  button.textContent = await navigator.clipboard.writeText(button.dataset.copy ?? '').then(
    () => 'Copied',
    () => 'Select and copy',
  )
  setTimeout(() => {
    button.textContent = label
  }, 2000)
}
