import { fieldsOfRun, type Run } from './run.ts'

export function RunFields({ run }: { run: Run<object> }) {
  return Object.entries(fieldsOfRun(run)).map(([name, value]) => (
    <input type="hidden" name={name} value={value} />
  ))
}
