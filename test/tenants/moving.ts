import { join } from 'node:path'
import type { Project } from '../fixtures/project.ts'
import type { Cloudflare } from './cloudflare.ts'
import { filling } from './fill.ts'
import { writeTenant } from './new-tenant.ts'
import type { Staging } from './staging.ts'
import { visitor } from './visitor.ts'

export const at = (cloudflare: Cloudflare, environment: string, key: string) =>
  visitor(cloudflare, `https://acme${environment}.crossdock.example`, key)

/** An export of the tenant as `<slug>.sql`. */
export const fileOf = ({ folder }: Project, slug: string, orders: number) =>
  writeTenant(join(folder, `${slug}.sql`), slug, filling(orders))

export const kindsOf = ({ cloudflare }: Staging) => cloudflare.calls.map(({ kind }) => kind)
