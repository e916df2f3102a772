import autocannon, { type Client, type Options } from 'autocannon'

// A program: the second process, which sends what load.ts asks for and gives back what autocannon
// has counted.

process.on('message', (job: Options) => {
  let clients = 0
  const started = performance.now()
  const per_minute: number[] = []
  const setupClient = (client: Client) => {
    if (job.requests) client.setRequests(rotated(job.requests, clients++))
  }
  const load = autocannon({ ...job, setupClient }, (error, result) => {
    process.send?.(error ? { failure: String(error) } : { result, per_minute })
  })
  load.on('response', () => {
    const minute = Math.floor((performance.now() - started) / 60_000)
    per_minute[minute] = (per_minute[minute] ?? 0) + 1
  })
})
/** Clients that began with the same request would all send their uploads at once. */
function rotated<T>(requests: T[], client: number): T[] {
  const start = (client * 7) % requests.length
  return [...requests.slice(start), ...requests.slice(0, start)]
}

process.on('disconnect', () => process.exit())
