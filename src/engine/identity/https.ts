const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/

/** On every answer over HTTPS. Only this host: what else its domain serves is not ours to decide. */
export const HSTS = { name: 'Strict-Transport-Security', value: 'max-age=31536000' }

/**
 * Whether the request came over plain HTTP from another machine. In a Worker the scheme of a request's URL is that of the
 * client's connection; headers such as X-Forwarded-Proto can come from anybody.
 */
export function isPlainHttp({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !LOOPBACK.test(hostname)
}

/** The same address over HTTPS, at its usual port: one of HTTP does not speak TLS. */
export function overHttps({ href }: URL): string {
  const url = new URL(href)
  url.port = ''
  url.protocol = 'https:'
  return url.href
}
