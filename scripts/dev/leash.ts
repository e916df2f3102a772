import { exitOf, startTool } from '../tool.ts'

// A program: `node scripts/dev/leash.ts <tool> <arguments>`, which startGroup runs at the head of a
// process group. It lives as long as the tool, and holds it: when whoever holds the other end of stdin
// is gone, killed with no time to end anything, the whole group goes too. Nothing must be left that
// still has the port, and the database with it.

const [name = '', ...args] = process.argv.slice(2)
process.stdin.on('close', () => process.kill(-process.pid, 'SIGKILL')).resume()
const tool = startTool(name, args, { stdio: ['ignore', 'inherit', 'inherit'] })
process.on('SIGTERM', () => tool.kill('SIGTERM'))
const code = await exitOf(name, tool).catch((error: Error) => {
  console.error(error.message)
  return 127
})
process.exit(code)
