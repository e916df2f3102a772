import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Scope } from '../../engine/identity/scopes.ts'
import type { SetUp } from '../../requests/overview/settings.ts'
import { may, mayConnect } from '../access.ts'
import { CONNECT_PATH, importPath, newRecordPath, WORKSPACE_PATH } from '../paths.ts'

interface Step {
  text: string
  isDone: boolean
  links: Link[]
}

interface Link {
  href: string
  text: string
  isOpen: boolean
}

interface SetUpProps {
  c: Context<AppEnv>
  setUp: SetUp
}

/** What a new tenant begins with. A step is ticked when it is true, whoever has done it. */
export function SetUpSteps({ c, setUp }: SetUpProps) {
  return (
    <section>
      <h2>Set up</h2>
      <ol class="set-up">
        {stepsOf(c, setUp).map(({ text, isDone, links }) => (
          <li class={isDone ? 'done' : undefined}>
            <span>
              {isDone && <span class="for-reader">Done: </span>}
              {text}
            </span>{' '}
            {links
              .filter(({ isOpen }) => isOpen)
              .map((link) => (
                <>
                  <a href={link.href}>{link.text}</a>{' '}
                </>
              ))}
          </li>
        ))}
      </ol>
    </section>
  )
}

function stepsOf(c: Context<AppEnv>, setUp: SetUp): Step[] {
  const mayAll = (...scopes: Scope[]) => scopes.every((scope) => may(c, scope))
  const { isConnected, hasLocations, hasProducts, isKeepingDecided } = setUp
  const isOpen = (resource: 'products' | 'locations') =>
    mayAll(`integrations.${resource}.read`, `integrations.${resource}.write`)
  return [
    {
      text: 'Connect a shop or another system, or make an API key for it.',
      isDone: isConnected,
      links: [
        { href: CONNECT_PATH, text: 'Connect a system', isOpen: mayConnect(c) },
        {
          href: '/dashboard/new/api-key/',
          text: 'Create key',
          isOpen: mayAll('settings.keys.read', 'settings.keys.write'),
        },
      ],
    },
    {
      text: `Add locations and products, by hand, from a CSV file or over the API.${missingOf(setUp)}`,
      isDone: hasLocations && hasProducts,
      links: [
        {
          href: newRecordPath('locations', ''),
          text: 'Create location',
          isOpen: isOpen('locations'),
        },
        { href: newRecordPath('products', ''), text: 'Create product', isOpen: isOpen('products') },
        { href: importPath('locations'), text: 'Import locations', isOpen: isOpen('locations') },
        { href: importPath('products'), text: 'Import products', isOpen: isOpen('products') },
      ],
    },
    {
      text: 'Send or receive a first order. It ends this list.',
      isDone: false,
      links: [{ href: '/docs/', text: 'How orders are sent', isOpen: true }],
    },
    {
      text: 'Decide which documents are kept, and for how long.',
      isDone: isKeepingDecided,
      links: [
        {
          href: WORKSPACE_PATH,
          text: 'Workspace',
          isOpen: mayAll('settings.workspace.read', 'settings.workspace.write'),
        },
      ],
    },
  ]
}

function missingOf({ hasLocations, hasProducts }: SetUp): string {
  if (hasLocations === hasProducts) return ''
  return hasLocations ? ' There are no products yet.' : ' There are no locations yet.'
}
