/** Why a request was refused, as a page says it: what the API's message leaves to its `fields` stands elsewhere on the page. */
export function reasonText(message: string): string {
  return message.replace(', see fields)', ')')
}
