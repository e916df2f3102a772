import autocannon, { type Options } from 'autocannon'

// A program: the second process, which sends what load.ts asks for and gives back what autocannon
// has counted.

process.on('message', (job: Options) => {
  const started = performance.now()
  const per_minute: number[] = []
  const load = autocannon(job, (error, result) => {
    process.send?.(error ? { failure: String(error) } : { result, per_minute })
  })
  load.on('response', () => {
    const minute = Math.floor((performance.now() - started) / 60_000)
    per_minute[minute] = (per_minute[minute] ?? 0) + 1
  })
})
process.on('disconnect', () => process.exit())
