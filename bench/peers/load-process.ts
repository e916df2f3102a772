import autocannon, { type Client, type Options } from 'autocannon'

// A program: the load generator, in a process of its own. It runs the jobs of load.ts with autocannon and sends
// the results back.

process.on('message', (job: Options) => {
  let clients = 0
  const setupClient = (client: Client) => {
    if (job.requests) client.setRequests(rotated(job.requests, clients++))
  }
  autocannon({ ...job, setupClient }, (error, result) => {
    process.send?.(error ? { failure: String(error) } : { result })
  })
})
process.on('disconnect', () => process.exit())

/** Lets each client begin with another request. Otherwise all would send their uploads at once. */
function rotated<T>(requests: T[], client: number): T[] {
  const start = (client * 7) % requests.length
  return [...requests.slice(start), ...requests.slice(0, start)]
}
