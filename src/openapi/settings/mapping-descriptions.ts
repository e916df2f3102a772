/** What the members of a mapping are, by field or by component and field. */
export const MAPPING_DESCRIPTIONS: Record<string, string> = {
  identifier_field:
    "The field that `{identifier}` refers to for the partner's keys: a field of the record, or `metadata.<key>` (products: `custom_fields.<key>`).",
  inbound: "How the partner's documents become ours. Null leaves them as they are.",
  outbound: "How our records become the partner's in responses. Null leaves them as they are.",
  unmapped:
    'What happens to top-level fields that no rule reads or writes. The default is `keep` inbound and `drop` outbound. Rules that read a document which is an array (`$[]`) always drop.',
  fields: 'The rules: for each target path, where its value comes from.',
  from: "A path in the source: `a.b`, `a[0]`, `a[-1]`, `a[].b`, `['any key']`, `a[?@.kind == 'x'].b` (RFC 9535), `$[0].b` of an array. Of a list of paths, the first that has a value.",
  join: 'Paths and fixed texts. The texts of all that have a value are joined.',
  with: 'What stands between joined texts.',
  pair: 'The paths of a label and of a value. A value without a label stands alone; without a value there is no text.',
  'PairPart.with': 'What stands between label and value.',
  each: 'A path with one to three `[]` or filters. The target has an element for each one that it leads to: `lines[?@.qty > 0]`.',
  records:
    'Which records a document has, if it has several; `unmapped` is then `drop`. Not for inventory.',
  'MappingRecords.each':
    'A path with one to three `[]` or filters. The document has a record for each element that it leads to: `orders[]`, `$[?@.number]`. Rules with paths below it read the element at hand.',
  group_by:
    'Paths of a row, `$[].number`. Rows that have the same values there are one record, and a filter in `each` judges them by the first of them.',
  first:
    'True: a rule with an index, such as `orders[0].number`, is meant to read one of several records. Otherwise a document with several is refused.',
  split: 'The path leads to a text: the target has an element for each part between these marks.',
  none: 'Texts, numbers, true or false that are no value in the document, beside null. A day covers its times. Below `inbound`: in every rule.',
  single_as_list:
    'If true, a single value is a list of one where a path looks for a list, as XML needs it.',
  csv: 'How CSV is read.',
  'CsvOptions.separator': 'What stands between cells. Without it, the first row tells.',
  'CsvOptions.header': 'False: no row names the columns, so each row is an array: `$[][0]`.',
  form: 'How forms are read.',
  'FormOptions.json':
    'The name of a member that holds JSON, such as `payload`: paths lead into it.',
  'FormOptions.charset':
    'The charset where the Content-Type names none, such as `windows-1252`. UTF-8 without it.',
  xml: 'How XML is read.',
  'XmlOptions.prefixes':
    'Prefixes for namespaces by their addresses, whatever the sender writes: `{"cbc": "urn:..."}`. The empty one leaves the prefix out.',
  text: 'Takes a part of a text, step by step, before `values` and `as`.',
  'TextStep.after': 'What stands after the first such mark.',
  'TextStep.before': 'What stands before the first such mark.',
  'TextStep.after_last': 'What stands after the last such mark.',
  'TextStep.before_last': 'What stands before the last such mark.',
  'TextStep.without': 'Each of these texts is taken off the beginning and off the end, once.',
  'TextStep.part': 'The number of the part: from 1, or from -1 to count from the end. Never 0.',
  'TextStep.of': 'The mark that separates the parts.',
  'TextStep.strict': 'If true, a text without the mark is no value. Otherwise it stays as it is.',
  values:
    'What to write instead of a value, by its text. `*` stands for all others, with `{"as": "is"}` as they are; without `*`, any other value is the problem `UNMAPPED_VALUE`.',
  as: 'What to read the value as. A value that cannot be read so is the problem `CONVERSION`.',
  format:
    'For `as: "datetime"`: `epoch_seconds` or `epoch_milliseconds` for a number since 1970, or a pattern of Unicode TR 35, such as `dd.MM.yyyy HH:mm`. Outbound: to write it as such a number.',
  'FromRule.zone':
    'For `as: "datetime"`: the IANA zone of times without an offset, such as `Europe/Berlin`. Without it they are UTC.',
  'FromRule.code':
    'The text is an item code of the partner. What it stands for is looked up when the document is applied.',
  or_own: 'A text that is no item code may be our own code.',
  decimal:
    'For `as: "decimal"` and `as: "integer"`: a comma stands before the fraction of a text, and points between its thousands.',
  less: 'For `as: "integer"`: paths to what is taken off. Several values of one path add up. Below zero is the problem `CONVERSION`.',
  times:
    'For `as: "integer"`: a path or an integer that multiplies what is left. A path that leads to no value is the problem `SOURCE_MISSING`.',
  at_zero: 'For `items[].quantity` below an `each`: leaves out a line that has nothing left.',
  default: 'Written where there is no value.',
  required: 'If true, a document in which the value is missing or null is refused.',
  value: 'A fixed value: any JSON.',
  payload:
    'A document as the partner sends it: an object, an array, or a text with its `content_type`.',
  content_type:
    'Of a document that is a text: `text/csv`, `text/tab-separated-values` or `application/x-www-form-urlencoded`.',
  headers: 'What a delivery brings beside the document: headers, by name.',
  query: 'What a delivery brings beside the document: parameters of the query, by name.',
  method: 'The method of the request that would send the document.',
  mapping: 'A draft to try. Without it, the saved mapping is tried.',
  mapped:
    'The mapped document; null if the mapping fails, and, with a warning, if it would have more than 10 MiB as JSON.',
  'PreviewResult.errors': 'The errors in the mapped document, at most 1,000.',
  would_answer:
    'What the request itself would return. If references were not looked up: what it would return if they all fit.',
  'WouldAnswer.status': 'Its status.',
  'WouldAnswer.code': 'Its error code; null for a success.',
  'PreviewResult.records':
    'Of a document whose mapping makes several records: what would become of each of the first 50, as of a document of its own. Null for any other document. `mapped` is then null.',
  'PreviewResult.item_codes':
    'By field: what the item codes of the partner stand for. `mapped` has their text, and the request stores the quantity times `units`. Only if references are looked up and there are such codes.',
  'StandsFor.record': 'The SKU or location code.',
  'StandsFor.units': 'How many of our pieces one of theirs is.',
  'PreviewedRecord.errors': 'The errors in the mapped record, at most 1,000.',
  'PreviewError.source': "The field's path in the document; null if it has none.",
  provenance:
    'For the path of each mapped value, its path in the document; null for a fixed value.',
}
