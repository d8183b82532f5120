import { createSecureContext } from "node:tls"
import { callbackify } from "node:util"
import type { Agent, buildConnector, Dispatcher } from "undici"
// Not by its index, which brings `fetch`, WebSocket, caches and mocks along: 9 MB that nobody here uses.
import connectorOf from "undici/lib/core/connect.js"
import DispatchingAgent from "undici/lib/dispatcher/agent.js"
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
  let made: buildConnector.connector | undefined
  // When first needed: reading the well-known authorities is a part of a start that many never use.
  const connector = () =>
    (made ??= connectorOf({
      rejectUnauthorized: true,
      // One for all: each connection would make its own.
      secureContext: createSecureContext(ca === undefined ? {} : { ca }),
      lookup,
      allowH2: false,
      timeout: CONNECT_MILLIS
    } as buildConnector.BuildOptions))
  return new DispatchingAgent({
    connect: (target, callback) => {
      const address = literal(target.hostname)
      if (address !== undefined && !mayConnect(address, options)) return callback(new AddressRefused(), null)
      // An address that was registered while it was allowed may outlive the development switch.
      if (target.protocol !== "https:" && !options.allowInsecure) return callback(new NotHttps(), null)
      return connector()(target, callback)
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

/** What came of it, or the error that `Trouble.toAnswer` reads. */
export type Outcome = { readonly answered: Answered } | { readonly error: unknown }

/**
 * One POST; redirects are answers like any other. `done` is called once, or never after the function that is given back, which
 * drops the connection. On undici's bare handler: its `request` makes a stream, a signal and several promises for each answer.
 */
export const exchange = (
  agent: Agent,
  { body, headers, url }: Outgoing,
  done: (outcome: Outcome) => void
): (() => void) => {
  const answering = new Answering(done)
  try {
    const { origin, path } = targetOf(url)
    agent.dispatch({ origin, path, method: "POST", headers: [...headers.flat(), ...OWN_HEADERS], body }, answering)
  } catch (error) {
    answering.settle({ error })
  }
  return answering.leave
}

const OWN_HEADERS = ["accept", "*/*", "accept-encoding", "identity"]

interface Target {
  readonly origin: string
  readonly path: string
}

/** Of addresses that were posted to: few, and the same ones again and again. */
const targets = new Map<string, Target>()
const TARGETS_MAX = 1_000

const targetOf = (url: string): Target => {
  const known = targets.get(url)
  if (known !== undefined) return known
  const { origin, pathname, search } = new URL(url)
  const target = { origin, path: pathname + search }
  if (targets.size >= TARGETS_MAX) targets.clear()
  targets.set(url, target)
  return target
}

/** Reads to the end or to `MAX_BODY`. A connection lost in between changes nothing: the status had arrived. */
class Answering implements Dispatcher.DispatchHandler {
  private done: ((outcome: Outcome) => void) | undefined
  private controller: Dispatcher.DispatchController | undefined
  private status: number | undefined
  private readonly chunks: Array<Buffer> = []
  private size = 0

  constructor(done: (outcome: Outcome) => void) {
    this.done = done
  }

  settle(outcome: Outcome): void {
    const { done } = this
    this.done = undefined
    done?.(outcome)
  }

  readonly leave = (): void => {
    this.done = undefined
    this.controller?.abort(new Left())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    // Left before there was a connection.
    if (this.done === undefined) controller.abort(new Left())
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    // An interim answer may come first.
    if (status >= 200) this.status = status
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.size < SNIPPET) this.chunks.push(chunk.subarray(0, SNIPPET - this.size))
    this.size += chunk.length
    if (this.size <= MAX_BODY) return
    this.answered()
    controller.abort(new Left())
  }

  onResponseEnd(): void {
    this.answered()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.status === undefined) this.settle({ error })
    else this.answered()
  }

  private answered(): void {
    this.settle({ answered: { status: this.status ?? 0, snippet: text(Buffer.concat(this.chunks)) } })
  }
}

/** Nobody reads the rest. */
class Left extends Error {
  override readonly name = "Left"
}

/** A character that was cut in two at the end is left out. */
const text = (bytes: Buffer): string =>
  bytes.length === 0 ? "" : new TextDecoder("utf-8").decode(bytes, { stream: bytes.length === SNIPPET })
