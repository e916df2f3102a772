import type { Command } from './command.ts'
import { backup } from './commands/backup.ts'
import { check } from './commands/check.ts'
import { create } from './commands/create.ts'
import { exportTenant } from './commands/export.ts'
import { importTenant } from './commands/import.ts'
import { key } from './commands/key.ts'
import { list } from './commands/list.ts'
import { migrate } from './commands/migrate.ts'
import { remove } from './commands/remove.ts'
import { restore } from './commands/restore.ts'
import { rotateWebhookKey } from './commands/rotate-webhook-key.ts'
import { status } from './commands/status.ts'

export const COMMANDS: Record<string, Command> = {
  create,
  list,
  status,
  check,
  migrate,
  key,
  export: exportTenant,
  import: importTenant,
  backup,
  restore,
  remove,
  'rotate-webhook-key': rotateWebhookKey,
}
