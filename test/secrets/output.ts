import { isKey, type KeySearch } from './search.ts'

const MAKING = ['create', 'key']
const PLACE = /"settings_key":"([^"]*)"|^ {2}Settings key {2}(\S+)$/m
/** What `npm start` says first: keys, and lines to paste. */
const WELCOME = /^ {2}(?:API|Settings|Partner) key {2,}xd_|^curl '/

interface Output {
  stdout: string
  stderr: string
}

/** Looks for keys in what a program says, but for the place where a new tenant's is shown, this once. */
export function lookAtOutput(search: KeySearch, args: string[], { stdout, stderr }: Output): void {
  const command = args.slice(-6).join(' ')
  const [place = '', inJson, inText] = PLACE.exec(stdout) ?? []
  const key = inJson ?? inText
  const isNew = args.some((word) => MAKING.includes(word)) && isKey(key) && search.show(key)
  search.look(`stdout of ${command}`, isNew ? stdout.replace(place, '') : stdout)
  search.look(`stderr of ${command}`, stderr)
}

/** Looks for keys in what `npm start` says but its welcome. */
export function lookAtStart(search: KeySearch, { stdout, stderr }: Output): void {
  const lines = stdout.split('\n').filter((line) => !WELCOME.test(line))
  search.look('stdout of npm start', lines.join('\n'))
  search.look('stderr of npm start', stderr)
}
