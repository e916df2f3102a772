import { Label } from '../fields.ts'

/** The text of a search: at most 255 characters, as long as the longest name. White space at its ends is removed. */
export const SearchText = Label
