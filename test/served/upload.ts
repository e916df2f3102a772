import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { lookAtAnswer } from '../fixtures/secrets/answer.ts'
import { outgoing } from '../fixtures/secrets/outgoing.ts'

const BLOCK = 64 * 1024

export interface Received {
  status: number
  /** Decoded strictly: what is not UTF-8 throws. */
  text: string
}

export interface Body {
  blocks: Iterable<Uint8Array>
  /** Nothing tells that the body is at its end. */
  isOpen?: boolean
}

/**
 * POSTs over a connection of its own, no faster than the body is taken, and no further than until
 * the answer begins: chunked, unless the headers have a Content-Length.
 */
export async function upload(
  url: string,
  headers: Record<string, string>,
  { blocks, isOpen = false }: Body,
): Promise<Received> {
  const sending = request(url, { method: 'POST', headers, agent: false })
  let isAnswered = false
  const answered = answerTo(sending).finally(() => {
    isAnswered = true
  })
  const whenAnswered = answered.catch(() => {})
  for (const block of blocks) {
    if (isAnswered) break
    if (!sending.write(block)) await Promise.race([drained(sending), whenAnswered])
  }
  if (!isAnswered && !isOpen) sending.end()
  const answer = await answered
  const text = await textOf(answer)
  sending.destroy()
  const status = answer.statusCode ?? 0
  const pairs = Object.entries(answer.headers).map(
    ([name, value]) => [name, String(value)] as const,
  )
  lookAtAnswer(outgoing, { method: 'POST', url, status, headers: new Headers([...pairs]), text })
  return { status, text }
}

/** The bytes in blocks of 64 KiB. */
export function* blocksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += BLOCK) yield bytes.subarray(at, at + BLOCK)
}

/** So many spaces, in blocks of 64 KiB. */
export function* spaces(total: number): Generator<Uint8Array> {
  const block = new Uint8Array(BLOCK).fill(0x20)
  for (let left = total; left > 0; left -= BLOCK) yield block.subarray(0, Math.min(left, BLOCK))
}

function answerTo(sending: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sending.on('response', resolve)
    // After the answer, that is no fault: the other end closes.
    sending.on('error', reject)
  })
}

function drained(sending: ClientRequest): Promise<unknown> {
  return once(sending, 'drain').catch(() => {})
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks))
}
