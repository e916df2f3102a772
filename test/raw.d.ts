// Vite's import of a file as text.
declare module '*.md?raw' {
  const text: string
  export default text
}

interface ImportMeta {
  /** Vite's: the modules that match, by path, each loaded when it is asked for. */
  glob: <Module>(pattern: string) => Record<string, () => Promise<Module>>
}

declare module '*.cjs?raw' {
  const text: string
  export default text
}
