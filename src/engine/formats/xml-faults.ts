// By what the parser says, the first that fits. The texts are our own: its own may change, and repeat what was sent.
const FAULTS: [said: RegExp, told: string][] = [
  [
    /unmatched closing tag|unexpected close tag|weird empty close tag/,
    'this tag closes another element than the one that is open here.',
  ],
  [
    /unclosed tag|unexpected end|is incomplete/,
    'the document ends before all of its elements are closed, or an ampersand is not written as &amp;.',
  ],
  [/must contain a root|text data outside/, 'text stands outside of the root element.'],
  [/only one root/, 'a second root element begins: send one document.'],
  [
    /entity/,
    'only the entities &amp; &lt; &gt; &quot; &apos; and those of numbers can be read: write &amp; for an ampersand.',
  ],
  [/duplicate attribute/, 'an attribute stands here twice.'],
  [
    /unquoted attribute|attribute name|attribute without value|between attributes|value must be quoted/,
    'an attribute is not written as name="value".',
  ],
  [/unbound namespace prefix/, 'this prefix is not bound to a namespace.'],
  [/at the start of the document|not allowed before root/, 'the XML declaration must come first.'],
  [/doctype/, 'the DOCTYPE must stand before the root element.'],
  [/comment/, 'a comment has -- in it.'],
  [/disallowed in char data/, 'the text has ]]> in it.'],
  [/tag name|closing tag/, 'no tag can begin so: write &lt; for a less-than sign.'],
  [/disallowed character/, 'a character stands here that XML cannot have.'],
]

/** What is wrong with a text that is no XML. */
export function faultIn(said: string): string {
  return FAULTS.find(([pattern]) => pattern.test(said))?.[1] ?? 'this is no XML.'
}
