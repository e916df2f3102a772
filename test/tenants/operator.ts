import type { Finished, Project } from '../fixtures/project.ts'

/** `npm run tenant -- <args>` in the project's copy. */
export function tenant(
  project: Project,
  args: string[],
  env: Record<string, string> = {},
): Promise<Finished> {
  const program = ['--disable-warning=ExperimentalWarning', 'scripts/crossdock.ts', 'tenant']
  return project.run([...program, ...args], env)
}

/** The result of a run with --json, which is the last line of stdout. */
export function resultOf({ code, stdout, stderr }: Finished) {
  if (code !== 0) throw new Error(`exit code ${code}: ${stdout}${stderr}`)
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}
