const MARKS = { 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] }
// As the server has it.
const FORM_BYTES_MAX = 10 * 1024 * 1024

/** Lets the user choose a file, whose text fills the field below. */
export function takeFiles(): void {
  const form = document.querySelector<HTMLFormElement>('[data-file-form]')
  const field = form?.querySelector<HTMLElement>('[data-file-field]')
  const input = field?.querySelector<HTMLInputElement>('input[type="file"]')
  const text = form?.querySelector<HTMLTextAreaElement>('[name="document"]')
  const told = field?.querySelector<HTMLElement>('[data-file-read]')
  if (!field || !input || !text || !told) return
  field.hidden = false
  input.addEventListener('change', async () => {
    const [file] = input.files ?? []
    if (!file) return
    const { charset, decoded } = decode(new Uint8Array(await file.arrayBuffer()))
    if (file.size > FORM_BYTES_MAX || lengthInForm(decoded) > FORM_BYTES_MAX) {
      told.textContent = `${file.name} is too large for this page: send it to the API, or in parts.`
      return
    }
    text.value = decoded
    told.textContent = `${file.name} was read as ${charset}. Check that its letters are right.`
  })
}

/** A separator or an umlaut takes several bytes of a form. */
function lengthInForm(text: string): number {
  return new URLSearchParams({ document: text }).toString().length
}

/** By its mark, or as UTF-8, or else as Windows writes it in the west. */
function decode(bytes: Uint8Array): { charset: string; decoded: string } {
  const isMarked = (mark: number[]) => mark.every((byte, at) => bytes[at] === byte)
  const marked = Object.entries(MARKS).find(([, mark]) => isMarked(mark))?.[0]
  try {
    const charset = marked ?? 'utf-8'
    return { charset, decoded: new TextDecoder(charset, { fatal: true }).decode(bytes) }
  } catch {
    const charset = 'windows-1252'
    return { charset, decoded: new TextDecoder(charset).decode(bytes) }
  }
}
