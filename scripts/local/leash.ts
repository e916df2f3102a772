import { exitOf, startTool } from '../tool.ts'

// A program: `node scripts/local/leash.ts <tool> <arguments>`. startGroup runs it as the leader of a process
// group. It runs as long as the tool. If its parent is killed, its stdin closes and it kills the whole group,
// so that no orphan keeps the port and the database.

const [name = '', ...args] = process.argv.slice(2)
process.stdin.on('close', () => process.kill(-process.pid, 'SIGKILL')).resume()
const tool = startTool(name, args, { stdio: ['ignore', 'inherit', 'inherit'] })
process.on('SIGTERM', () => tool.kill('SIGTERM'))
const code = await exitOf(name, tool).catch((error: Error) => {
  console.error(error.message)
  return 127
})
process.exit(code)
