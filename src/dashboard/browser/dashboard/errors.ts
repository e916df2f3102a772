/** Moves the focus to the first control of a form that has an error. */
export function focusError(): void {
  const wrong = document.querySelector<HTMLElement>('main [aria-invalid="true"]')
  const control = wrong instanceof HTMLFieldSetElement ? wrong.querySelector('input') : wrong
  control?.focus()
}
