/** Forms of filters send what is filled in, and show what the address says. */
export function keepFiltersInAddress(): void {
  const forms = document.querySelectorAll<HTMLFormElement>('form[method="get"]')
  for (const form of forms) {
    form.addEventListener('formdata', ({ formData }) => {
      for (const [name, value] of [...formData]) if (value === '') formData.delete(name)
    })
  }
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted && !isStepInHistory()) return
    // After a step back the fields hold what was entered when the page was left.
    for (const form of forms) form.reset()
  })
}

function isStepInHistory(): boolean {
  const [entry] = performance.getEntriesByType('navigation')
  return (entry as PerformanceNavigationTiming | undefined)?.type === 'back_forward'
}
