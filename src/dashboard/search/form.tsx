import type { Context } from 'hono'
import { NAME_LENGTH_MAX } from '../../document/fields.ts'
import type { AppEnv } from '../../env.ts'
import { hideKeys } from '../../identity/key.ts'
import { groupsOf } from './groups.ts'
import { SEARCH } from './path.ts'

/** The header's field. It finds any record that the session's key may see. */
export function SearchAll({ c }: { c: Context<AppEnv> }) {
  if (groupsOf(c).length === 0) return null
  const { url } = c.get('exchange')
  const value = url.pathname === SEARCH ? (url.searchParams.get('q') ?? '') : ''
  return (
    <search class="search-all" aria-label="Everything">
      <form method="get" action={SEARCH}>
        <SearchInput name="q" label="Find anything" value={value} />
        <button type="submit" class="outline secondary">
          Search
        </button>
      </form>
    </search>
  )
}

interface SearchInputProps {
  name: string
  label: string
  value: string
  placeholder?: string
}

export function SearchInput({ name, label, value, placeholder = label }: SearchInputProps) {
  return (
    <input
      type="search"
      name={name}
      value={hideKeys(value)}
      aria-label={label}
      placeholder={placeholder}
      maxlength={NAME_LENGTH_MAX}
      spellcheck={false}
      autocomplete="off"
      required
    />
  )
}
