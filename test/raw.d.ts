// Vite's import of a file as text.
declare module '*.md?raw' {
  const text: string
  export default text
}
