import { Preview } from './mapping-preview.ts'
import { editRules } from './mapping-rules.ts'
import { pathsOf } from './mapping-sources.ts'

const PAUSE_MS = 300

/** The editor of a mapping: rows come and go, and each edit is tried on the pasted document. */
export function editMapping(): void {
  const form = document.querySelector<HTMLFormElement>('form.mapping-editor')
  const sample = form?.querySelector<HTMLTextAreaElement>('[name="document"]')
  if (!form || !sample) return
  const preview = new Preview(form)
  let pause: ReturnType<typeof setTimeout> | undefined
  const edited = () => {
    clearTimeout(pause)
    pause = setTimeout(() => preview.load(), PAUSE_MS)
  }
  keepDocument(form, sample)
  suggestPaths(sample.value)
  editRules(form, edited)
  form.addEventListener('input', edited)
  sample.addEventListener('input', () => {
    storeDocument(form, sample.value)
    suggestPaths(sample.value)
  })
  if (sample.value !== '') edited()
}

/** Whoever signs in next on this tab does not see what the last one pasted. */
export function forgetDocuments(): void {
  if (new URLSearchParams(location.search).get('done') === 'signed-out') sessionStorage.clear()
}

/** Saving answers with a new page: the document is still there. */
function keepDocument(form: HTMLFormElement, sample: HTMLTextAreaElement): void {
  if (sample.value === '') sample.value = sessionStorage.getItem(nameOf(form)) ?? ''
  else storeDocument(form, sample.value)
}

function storeDocument(form: HTMLFormElement, text: string): void {
  try {
    sessionStorage.setItem(nameOf(form), text)
  } catch {
    // Larger than the browser keeps: it is lost with the page, not before.
    sessionStorage.removeItem(nameOf(form))
  }
}

function nameOf(form: HTMLFormElement): string {
  return `document of ${form.getAttribute('action')}`
}

function suggestPaths(text: string): void {
  const options = pathsOf(text).map((path) => {
    const option = document.createElement('option')
    option.value = path
    return option
  })
  document.getElementById('inbound.sources')?.replaceChildren(...options)
}
