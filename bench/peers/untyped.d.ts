// What mappers.ts uses of them. The types are checked where the packages are not installed, too.

declare module 'jsonata' {
  export default function jsonata(expression: string): {
    evaluate: (document: object) => Promise<unknown>
  }
}

declare module 'object-mapper' {
  type Target = string | { key: string; default: unknown }

  /** `map` is from source to target. */
  export default function objectMapper(source: object, map: Record<string, Target>): object
}
