/** Forms that look something up leave their empty fields out of the address. */
export function shortAddresses(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[method="get"]')) {
    form.addEventListener('formdata', ({ formData }) => {
      for (const [name, value] of [...formData]) if (value === '') formData.delete(name)
    })
  }
}
