import type { Readable } from "node:stream"
import { createSecureContext } from "node:tls"
import { callbackify } from "node:util"
import { Agent, buildConnector, request } from "undici"
import { type EgressPolicy, literal, mayConnect, mayConnectToAll } from "./EgressGuard.js"
import type { Resolver } from "./Resolver.js"
import { AddressRefused, NotHttps } from "./Trouble.js"

export interface ConnectionOptions extends EgressPolicy {
  readonly resolver: Resolver
  /** Trusted beside the well-known authorities; for tests. */
  readonly ca?: string | undefined
}

/** Of an answer's body no more is read; the connection is dropped with the rest. */
const MAX_BODY = 16 * 1024
const MAX_HEADERS = 16 * 1024
const SNIPPET = 1024
/** Longer than the deadline of an exchange, which decides. */
const CONNECT_MILLIS = 6_000
/** Node's own servers close after 5 s: a connection older than this is not used again. */
const KEEP_ALIVE_MILLIS = 4_000
const KEEP_ALIVE_MAX_MILLIS = 30_000

/**
 * Connections to receivers. Every address is checked when it is connected to, in the same step that found it: what a name
 * resolved to earlier proves nothing. `lookup` is not asked about addresses written out in the URL, so those are checked first.
 */
export const makeAgent = (options: ConnectionOptions): Agent => {
  const { ca, resolver } = options
  const addresses = callbackify(async (hostname: string) => {
    const found = await resolver(hostname)
    const [first] = found
    if (first === undefined || !mayConnectToAll(found, options)) throw new AddressRefused()
    return { first, all: found.map((one) => ({ ...one })) }
  })
  const lookup: Lookup = (hostname, asked, callback) =>
    addresses(hostname, (error, found) => {
      if (error !== null) callback(error, "", 4)
      else if (asked.all === true) callback(null, found.all)
      else callback(null, found.first.address, found.first.family)
    })
  const connector = buildConnector({
    rejectUnauthorized: true,
    // One for all: each connection would make its own.
    secureContext: createSecureContext(ca === undefined ? {} : { ca }),
    lookup,
    allowH2: false,
    timeout: CONNECT_MILLIS
  } as buildConnector.BuildOptions)
  return new Agent({
    connect: (target, callback) => {
      const address = literal(target.hostname)
      if (address !== undefined && !mayConnect(address, options)) return callback(new AddressRefused(), null)
      // An address that was registered while it was allowed may outlive the development switch.
      if (target.protocol !== "https:" && !options.allowInsecure) return callback(new NotHttps(), null)
      return connector(target, callback)
    },
    pipelining: 1,
    maxHeaderSize: MAX_HEADERS,
    keepAliveTimeout: KEEP_ALIVE_MILLIS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MILLIS,
    // One deadline for everything is set outside: these only count idle time.
    headersTimeout: 0,
    bodyTimeout: 0
  })
}

type Lookup = (
  hostname: string,
  options: { readonly all?: boolean },
  callback: (error: Error | null, address: string | Array<{ address: string; family: number }>, family?: number) => void
) => void

export interface Answered {
  readonly status: number
  readonly snippet: string
}

export interface Outgoing {
  readonly url: string
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: string
}

/** One POST; redirects are answers like any other. Rejects with what `Trouble.toAnswer` reads. */
export const exchange = async (
  agent: Agent,
  { body, headers, url }: Outgoing,
  signal: AbortSignal
): Promise<Answered> => {
  const answer = await request(url, {
    dispatcher: agent,
    method: "POST",
    headers: { ...Object.fromEntries(headers), accept: "*/*", "accept-encoding": "identity" },
    body,
    signal
  })
  return { status: answer.statusCode, snippet: await beginning(answer.body) }
}

/** Reads to the end or to `MAX_BODY`. A connection lost in between changes nothing: the status had arrived. */
const beginning = async (body: Readable): Promise<string> => {
  const chunks: Array<Buffer> = []
  let size = 0
  try {
    for await (const chunk of body) {
      const bytes = Buffer.from(chunk as Uint8Array)
      if (size < SNIPPET) chunks.push(bytes.subarray(0, SNIPPET - size))
      size += bytes.length
      if (size > MAX_BODY) break
    }
  } catch {
    // What had arrived is told; whoever is too late is told by the deadline.
  } finally {
    body.destroy()
  }
  return text(Buffer.concat(chunks))
}

/** A character that was cut in two at the end is left out. */
const text = (bytes: Buffer): string => new TextDecoder("utf-8").decode(bytes, { stream: bytes.length === SNIPPET })
