// The actions of a webhook as people write them, one line for each event: `order.created = upsert`.

const LINE = /^(.*\S)\s*=\s*([^=\s]+)$/

/** As the rules have them, or what is wrong with the first line that is none. */
export function actionsIn(text: string): { actions: Record<string, string> } | { message: string } {
  const actions = new Map<string, string>()
  for (const line of text.split('\n').map((part) => part.trim())) {
    if (line === '') continue
    const [, event, action] = LINE.exec(line) ?? []
    if (event === undefined || action === undefined) {
      return { message: `Write each line as order.created = upsert: "${line}" is none.` }
    }
    if (actions.has(event)) return { message: `Names "${event}" twice.` }
    actions.set(event, action)
  }
  return { actions: Object.fromEntries(actions) }
}

export function actionsText(actions: Record<string, string>): string {
  return Object.entries(actions)
    .map(([event, action]) => `${event} = ${action}`)
    .join('\n')
}
