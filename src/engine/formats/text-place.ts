/** Where something stands in a text, in UTF-16 units. */
export interface Span {
  start: number
  end: number
}
