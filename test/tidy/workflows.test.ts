import { describe, expect, it } from 'vitest'
import { faultsIn, workflowViolations } from '../../scripts/tidy/workflows.ts'

const SHA = '3d3c42e5aac5ba805825da76410c181273ba90b1'
const TOKEN = `\${{ secrets.CLOUDFLARE_API_TOKEN }}`

const workflow = (steps: string, job = '') => `permissions:
  contents: read
jobs:
  deploy:
    runs-on: ubuntu-latest
${job}    steps:
${steps}
`

describe('crossdock tidy, workflows', () => {
  it('finds nothing wrong today', () => {
    expect(workflowViolations()).toEqual([])
  })

  it.each([
    { steps: `      - uses: actions/checkout@${SHA} # v7.0.1`, faults: [] },
    { steps: '      - uses: ./actions/ours', faults: [] },
    {
      steps: '      - uses: actions/checkout@v7',
      faults: ['line 7: actions/checkout@v7 is not pinned'],
    },
    { steps: `      - uses: actions/checkout@${SHA}`, faults: ['line 7: actions/checkout@'] },
    {
      steps: `      - uses: actions/checkout@${SHA.slice(1)} # v7.0.1`,
      faults: ['line 7: actions/'],
    },
    {
      steps: `      - run: npm run deploy -- --env production\n        env:\n          TOKEN: ${TOKEN}`,
      faults: [],
    },
    {
      steps: `      - run: npm ci\n        env:\n          TOKEN: ${TOKEN}`,
      faults: ['line 9: a secret in a step that needs none'],
    },
    {
      steps: `      - run: npm run deploy -- --token ${TOKEN}`,
      faults: ['line 7: a secret that is not in env'],
    },
    {
      steps: `      - uses: a/b@${SHA} # v1.0.0\n        with:\n          token: ${TOKEN}`,
      faults: ['line 9: a secret in a step that needs none'],
    },
    {
      job: `    env:\n      TOKEN: ${TOKEN}\n`,
      steps: '      - run: npm ci',
      faults: ['line 7: a secret of a whole job'],
    },
  ])('finds $faults in $job $steps', ({ steps, job, faults }) => {
    const found = faultsIn('a.yml', workflow(steps, job))
    expect(found.map(({ line, wrong }) => `line ${line}: ${wrong}`)).toEqual(
      faults.map((fault) => expect.stringContaining(fault)),
    )
  })

  it('wants the least permissions', () => {
    const text = workflow('      - run: npm ci').replace('contents: read', 'contents: write')
    expect(faultsIn('a.yml', text)).toHaveLength(1)
    expect(faultsIn('a.yml', 'jobs:\n')).toHaveLength(1)
  })
})
