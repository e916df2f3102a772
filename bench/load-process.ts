import autocannon, { type Client, type Options } from 'autocannon'

// A program: the second process, which sends what load.ts asks for and gives back what autocannon
// has counted.

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

/** Clients that began with the same request would all send their uploads at once. */
function rotated<T>(requests: T[], client: number): T[] {
  const start = (client * 7) % requests.length
  return [...requests.slice(start), ...requests.slice(0, start)]
}
