/** New cells of the rule with this target, by their names. */
export interface RuleCells {
  target: string
  [name: string]: string
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** The rules of one direction. */
export class RuleTable {
  readonly #element: HTMLElement
  readonly #body: HTMLElement
  readonly #blank: HTMLElement
  readonly #add: HTMLButtonElement
  readonly #edited: () => void

  /** Shows the buttons that add and remove rules. Calls `edited` after a change that is no input. */
  constructor(element: HTMLElement, edited: () => void) {
    this.#element = element
    this.#body = element.querySelector('tbody') as HTMLElement
    this.#blank = this.#body.lastElementChild?.cloneNode(true) as HTMLElement
    this.#add = element.querySelector('[data-add]') as HTMLButtonElement
    this.#edited = edited
    for (const row of this.rows) if (isBlank(row)) row.remove()
    for (const row of [this.#blank, ...this.rows]) showRemove(row)
    this.#add.hidden = false
    this.#add.addEventListener('click', () => controlsOf(this.#insert(null))[0]?.focus())
    this.#body.addEventListener('click', (event) => {
      const button = (event.target as Element).closest('[data-remove]')
      if (button) this.#remove(button)
    })
  }

  get rows(): HTMLElement[] {
    return [...this.#body.children] as HTMLElement[]
  }

  /** Changes the rule with this target, or adds it. Gives the last cell that has changed. */
  change(cells: RuleCells): HTMLElement | undefined {
    const { target } = cells
    const known = this.rows.find((row) => cellText(row, 'target') === target)
    const below = this.rows.find((row) => cellText(row, 'target').startsWith(target))
    const row = known ?? this.#insert(below ?? null)
    const changed = Object.entries(cells).map(([name, text]) => {
      const control = controlOf(row, name)
      if (control) control.value = text
      return control
    })
    const more = row.querySelector('details')
    if (more && changed.some((control) => more.contains(control ?? null))) more.open = true
    this.#edited()
    return changed.at(-1)
  }

  #insert(before: Element | null): HTMLElement {
    const row = this.#blank.cloneNode(true) as HTMLElement
    this.#body.insertBefore(row, before)
    this.#chooseMapped()
    return row
  }

  /** Adding a rule turns the mapping of its direction on. */
  #chooseMapped(): void {
    const select = this.#element.querySelector('select')
    if (select?.value === '') select.selectedIndex = 1
  }

  #remove(button: Element): void {
    const row = button.closest('tr')
    const neighbour = row?.nextElementSibling ?? row?.previousElementSibling
    const next = neighbour?.querySelector<HTMLElement>('[data-remove]') ?? this.#add
    row?.remove()
    next.focus()
    this.#edited()
  }
}

/** The text of a rule's cell, such as `source`. */
export function cellText(row: Element, name: string): string {
  return controlOf(row, name)?.value.trim() ?? ''
}

export function controlOf(row: Element, name: string): Control | undefined {
  return controlsOf(row).find((control) => control.name.endsWith(`.${name}`))
}

function controlsOf(row: Element): Control[] {
  return [...row.querySelectorAll<Control>('input, select, textarea')]
}

function isBlank(row: Element): boolean {
  return controlsOf(row).every((control) => control.localName === 'select' || control.value === '')
}

function showRemove(row: Element): void {
  for (const button of row.querySelectorAll<HTMLElement>('[data-remove]')) button.hidden = false
}
