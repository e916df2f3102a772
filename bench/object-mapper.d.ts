// The package has no types of its own.
declare module 'object-mapper' {
  type Transform = (value: unknown, source: Record<string, unknown>) => unknown
  type Target = string | { key: string; default?: unknown; transform?: Transform }

  /** `map` is from source to target. */
  export default function objectMapper(source: object, map: Record<string, Target>): object
}
