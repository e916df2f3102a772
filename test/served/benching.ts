import { execFile } from 'node:child_process'

export interface Ended {
  code: number
  stdout: string
  stderr: string
}

export function bench(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const program = ['scripts/crossdock.ts', 'bench', ...args]
    execFile(process.execPath, program, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr })
    })
  })
}
