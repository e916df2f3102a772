import { OfferButtons } from './mapping-offer-buttons.ts'
import { Preview } from './mapping-preview.ts'
import { offerReplay } from './mapping-replay.ts'
import { type RuleCells, RuleTable } from './mapping-rules.ts'
import { type SourcePath, sourcesIn } from './mapping-sources.ts'

const PAUSE_MS = 300

/** Lets the user add and remove rules, and previews the mapping on the pasted document after each edit. */
export function editMapping(): void {
  const form = document.querySelector<HTMLFormElement>('form.mapping-editor')
  const sample = form?.querySelector<HTMLTextAreaElement>('[name="document"]')
  if (!form || !sample) return
  const preview = new Preview(form)
  let pause: ReturnType<typeof setTimeout> | undefined
  const edited = () => {
    clearTimeout(pause)
    pause = setTimeout(() => {
      offers?.show()
      void preview.load().then(() => {
        if (preview.outline !== null) read()
      })
    }, PAUSE_MS)
  }
  keepDocument(form, sample)
  offerReplay(form)
  const [inbound] = Array.from(
    form.querySelectorAll<HTMLElement>('[data-rules]'),
    (rules) => new RuleTable(rules, edited),
  )
  const offers = inbound && new OfferButtons(form, inbound)
  const read = () => {
    const isJson = /^\s*[[{]/.test(sample.value)
    const sources = sourcesIn(isJson ? sample.value : (preview.outline ?? ''))
    suggestPaths(sources)
    offers?.read(sources.values())
  }
  read()
  form.addEventListener('input', edited)
  sample.addEventListener('input', () => {
    storeDocument(form, sample.value)
    read()
  })
  form.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>('[data-remedy]')
    if (!button || !inbound) return
    event.preventDefault()
    inbound.change(JSON.parse(button.value) as RuleCells)?.focus()
  })
  form.addEventListener('pointerover', ({ target }) => {
    // A long path is cut off in its cell.
    if (target instanceof HTMLInputElement) target.title = target.value
  })
  if (sample.value !== '') edited()
}

/** Deletes the pasted documents after sign-out, so that the next user of this tab does not see them. */
export function forgetDocuments(): void {
  if (new URLSearchParams(location.search).get('done') === 'signed-out') sessionStorage.clear()
}

/** Keeps the document over page loads: saving the mapping loads a new page. */
function keepDocument(form: HTMLFormElement, sample: HTMLTextAreaElement): void {
  if (sample.value === '') sample.value = sessionStorage.getItem(nameOf(form)) ?? ''
  else storeDocument(form, sample.value)
}

function storeDocument(form: HTMLFormElement, text: string): void {
  try {
    sessionStorage.setItem(nameOf(form), text)
  } catch {
    // The document exceeds the browser's storage quota. It is lost when the page is left.
    sessionStorage.removeItem(nameOf(form))
  }
}

function nameOf(form: HTMLFormElement): string {
  return `document of ${form.getAttribute('action')}`
}

function suggestPaths(sources: Map<string, SourcePath>): void {
  const options = Array.from(sources.keys(), (path) => {
    const option = document.createElement('option')
    option.value = path
    return option
  })
  document.getElementById('inbound.sources')?.replaceChildren(...options)
}
