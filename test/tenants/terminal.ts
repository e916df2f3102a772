import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { outgoing } from '../fixtures/secrets/outgoing.ts'
import { lookAtOutput } from '../fixtures/secrets/output.ts'

/** What stands at the end of a command's output: a line of its own. */
const END = 'end-of-command'

/** A shell in which one command is typed after the other. */
export interface Terminal {
  /** What the command prints, on both streams in their order, with its exit code at the end if that is not 0. */
  type: (command: string) => Promise<string>
  close: () => Promise<void>
}

/** `bash` in the folder; nothing asks for anything, because its input is at its end. */
export function openTerminal(folder: string, env: Record<string, string>): Terminal {
  const shell = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env, stdio: 'pipe' })
  const closed = once(shell, 'close')
  const end = new RegExp(`\\n${END} (\\d+)\\n$`)
  let said = ''
  let wake = () => {}
  shell.stdin.write('exec 2>&1\n')
  shell.stdout.setEncoding('utf8').on('data', (part: string) => {
    said += part
    wake()
  })
  shell.once('close', () => wake())
  return {
    type: async (command) => {
      said = ''
      shell.stdin.write(`{ ${command}\n} </dev/null; printf '\\n%s %s\\n' ${END} $?\n`)
      while (!end.test(said)) {
        if (shell.exitCode !== null) throw new Error(`The shell has ended: ${said}`)
        await new Promise<void>((fulfil) => {
          wake = fulfil
        })
      }
      const code = end.exec(said)?.[1]
      const text = said.replace(end, '').replace(/^\n+|\s+$/g, '')
      lookAtOutput(outgoing, command.split(/\s+/), { stdout: text, stderr: '' })
      return code === '0' ? text : `${text}\n(exit code ${code})`
    },
    close: async () => {
      shell.stdin.end()
      await closed
    },
  }
}
