/** Why a request was refused, in the words of a page. The page shows elsewhere what the API's message leaves to `fields`. */
export function reasonText(message: string): string {
  return message.replace(', see fields)', ')')
}
