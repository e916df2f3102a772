import * as z from 'zod'

/** The rules of a phase, which the zone has if somebody has ever made one. */
export const PHASES = {
  cache: {
    path: '/rulesets/phases/http_request_cache_settings/entrypoint',
    permission: 'Cache Settings Read',
  },
  configuration: {
    path: '/rulesets/phases/http_config_settings/entrypoint',
    permission: 'Config Settings Read',
  },
}

/** A rule that is switched on. */
export interface Rule {
  name: string
  /** Which requests it matches, in Cloudflare's rules language. */
  expression: string
  action: string
  parameters: Record<string, unknown>
}

const Ruleset = z.object({
  rules: z
    .array(
      z.object({
        id: z.string(),
        action: z.string().default(''),
        action_parameters: z.record(z.string(), z.unknown()).default({}),
        description: z.string().default(''),
        enabled: z.boolean().default(true),
        expression: z.string().default('true'),
      }),
    )
    .default([]),
})

/** Null if the answer is not as documented. */
export function rulesIn(answer: unknown): Rule[] | null {
  const { data } = Ruleset.safeParse(answer)
  if (!data) return null
  return data.rules
    .filter(({ enabled }) => enabled)
    .map(({ id, description, expression, action, action_parameters }) => ({
      name: description || id,
      expression,
      action,
      parameters: action_parameters,
    }))
}

/** Whether the rule makes answers cacheable that are not by themselves. */
export function caches({ action, parameters }: Rule): boolean {
  return action === 'set_cache_settings' && parameters.cache === true
}
