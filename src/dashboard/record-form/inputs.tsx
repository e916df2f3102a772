import * as z from 'zod'
import type { ApiError } from '../../engine/errors.ts'
import type { Field } from '../../engine/model/fields.ts'
import { capitalized, labelOf, type RecordDefinition } from '../../engine/model/record.ts'
import { Input } from '../parts/input.tsx'
import { same } from '../parts/option.ts'
import { Select } from '../parts/select.tsx'
import { TextArea } from '../parts/text-area.tsx'
import { TimeInput } from '../ranges/time-input.tsx'
import type { Texts } from './texts.ts'

const JSON_HELP = 'A JSON object. Partners and mappings may read and write it.'
const ROWS = { object: 6, text: 3 }

interface InputsProps {
  record: RecordDefinition
  texts: Texts
  error: ApiError | null
}

/** A labelled input for each of the record's fields that the form has. */
export function RecordInputs({ record, texts, error }: InputsProps) {
  return (
    <>
      {Object.entries(texts).map(([name, value]) => (
        <RecordInput record={record} name={name} value={value} error={error} />
      ))}
    </>
  )
}

interface InputProps {
  record: RecordDefinition
  name: string
  value: string
  error: ApiError | null
}

function RecordInput({ record, ...props }: InputProps) {
  const { name } = props
  const field = record.fields[name]
  const label = capitalized(labelOf(record, name))
  if (field?.kind === 'object')
    return <TextArea label={label} {...props} rows={ROWS.object} help={JSON_HELP} />
  if (field?.kind === 'time') return <TimeInput label={`${label} (UTC)`} {...props} />
  if (field?.kind === 'choice')
    return <Select label={label} {...props} options={choicesOf(field).map(same)} />
  if (field?.hasLines) return <TextArea label={label} {...props} rows={ROWS.text} />
  if (field?.kind === 'quantity') return <Input label={label} {...props} type="number" />
  return <Input label={label} {...props} required={name === record.key} />
}

function choicesOf({ shown }: Field): string[] {
  return shown instanceof z.ZodEnum ? shown.options.map(String) : []
}
