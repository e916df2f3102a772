import { type Offer, type OfferedRule, offersFor } from './mapping-offers.ts'
import { cellText, controlOf, type RuleTable } from './mapping-rules.ts'
import type { SourcePath } from './mapping-sources.ts'

const OTHERS_MAX = 8

/** A field of ours, and the methods whose bodies have it. */
interface Field {
  target: string
  kind: string
  methods: string[]
}

/** Offers paths of the pasted document: beside each rule without one, and for our fields without a rule. */
export class OfferButtons {
  readonly #rules: RuleTable
  readonly #fields: Field[]
  readonly #method: HTMLSelectElement | null
  readonly #others: HTMLElement | null
  readonly #fill: HTMLElement | null
  #sources: SourcePath[] = []

  constructor(form: HTMLElement, rules: RuleTable) {
    this.#rules = rules
    const fields = form.querySelectorAll<HTMLOptionElement>('[id="inbound.targets"] option')
    this.#fields = Array.from(fields, ({ value, dataset }) => ({
      target: value,
      kind: dataset.kind ?? '',
      methods: dataset.methods?.split(' ') ?? [],
    }))
    this.#method = form.querySelector('[name="method"]')
    this.#others = form.querySelector('[data-offers]')
    this.#fill = form.querySelector('[data-fill]')
    this.#fill?.addEventListener('click', () => this.#fillAll())
  }

  /** Shows the offers of a document with these paths. */
  read(sources: Iterable<SourcePath>): void {
    this.#sources = [...sources]
    this.show()
  }

  /** Shows the offers again, after an edit. */
  show(): void {
    const { rows } = this.#rules
    const rules = rows.map(ruleIn)
    const offers = rules.map((rule) => (isOpen(rule) ? this.#offersFor(rule.target, rules) : []))
    for (const [index, row] of rows.entries()) this.#showBeside(row, offers[index] ?? [])
    if (this.#fill) this.#fill.hidden = offers.every((found) => found.length === 0)
    this.#showOthers(rules)
  }

  #offersFor(target: string, rules: OfferedRule[]): Offer[] {
    const kind = this.#fields.find((field) => field.target === target)?.kind ?? 'any'
    return offersFor(target, kind, this.#sources, rules)
  }

  #showBeside(row: HTMLElement, offers: Offer[]): void {
    const buttons = offers.map((offer) => {
      const button = this.#buttonFor(offer, textFor(row, offer))
      button.setAttribute('aria-label', `Fill ${offer.target} from ${textFor(row, offer)}`)
      return button
    })
    showButtons(controlOf(row, 'source')?.parentElement, buttons)
  }

  /** Fields of the request's body that no rule fills, each with the path that fits best. */
  #showOthers(rules: OfferedRule[]): void {
    if (!this.#others) return
    const method = this.#method?.value ?? 'POST'
    const free = this.#fields.filter(
      ({ target, methods }) =>
        methods.includes(method) && !rules.some((rule) => overlaps(rule.target, target)),
    )
    const offers = free.flatMap(({ target }) => this.#offersFor(target, rules).slice(0, 1))
    const buttons = offers.slice(0, OTHERS_MAX).map((offer) => {
      const [row] = this.#rules.rows
      return this.#buttonFor(
        offer,
        `${offer.target} from ${row ? textFor(row, offer) : offer.source}`,
      )
    })
    this.#others.hidden = buttons.length === 0
    showButtons(this.#others, buttons)
  }

  #buttonFor(offer: Offer, text: string): HTMLButtonElement {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'outline'
    button.textContent = text
    button.addEventListener('click', () => this.#take(offer)?.focus())
    return button
  }

  #take({ target, source, as, each }: Offer): HTMLElement | undefined {
    if (each) this.#rules.change({ ...each, kind: 'each' })
    return this.#rules.change({ target, as, source })
  }

  #fillAll(): void {
    for (const { target } of this.#rules.rows.map(ruleIn).filter(isOpen)) {
      const [best] = this.#offersFor(target, this.#rules.rows.map(ruleIn))
      if (best) this.#take(best)
    }
    this.#fill?.parentElement?.querySelector<HTMLElement>('[data-add]')?.focus()
  }
}

function ruleIn(row: HTMLElement): OfferedRule {
  return {
    target: cellText(row, 'target'),
    kind: cellText(row, 'kind'),
    source: cellText(row, 'source'),
  }
}

/** Whether the rule lacks a path. */
function isOpen({ target, kind, source }: OfferedRule): boolean {
  return target !== '' && source === '' && (kind === 'path' || kind === 'required')
}

/** Whether one of the two targets lies in the other. */
function overlaps(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`)
}

/** `lines[].qty as integer`, with the words of the row's own choice. */
function textFor(row: HTMLElement, { source, as, each }: Offer): string {
  const choices = controlOf(row, 'as')?.querySelectorAll('option') ?? []
  const conversion = as === '' ? undefined : [...choices].find(({ value }) => value === as)?.text
  const above = each ? `for each element of ${each.source}` : undefined
  return [source, conversion, above].filter((part) => part !== undefined).join(', ')
}

/** Leaves buttons that stay the same: one of them may have the focus. */
function showButtons(parent: Element | null | undefined, buttons: HTMLElement[]): void {
  const shown = parent?.querySelector('.offers')
  const box = document.createElement('div')
  box.className = 'offers'
  box.append(...buttons)
  if (shown?.isEqualNode(box)) return
  shown?.remove()
  if (buttons.length > 0) parent?.append(box)
}
