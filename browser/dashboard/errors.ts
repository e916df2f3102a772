/** A form that was refused begins where the first thing in it is wrong. */
export function focusError(): void {
  const wrong = document.querySelector<HTMLElement>('main [aria-invalid="true"]')
  const control = wrong instanceof HTMLFieldSetElement ? wrong.querySelector('input') : wrong
  control?.focus()
}
