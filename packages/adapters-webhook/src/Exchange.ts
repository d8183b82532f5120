import type { IncomingHttpHeaders } from "node:http"
import { createSecureContext } from "node:tls"
import { callbackify } from "node:util"
import { Agent, buildConnector, type Dispatcher } from "undici"
import { type EgressPolicy, literal, mayConnect, mayConnectToAll } from "./EgressGuard.js"
import type { Ipv4Fault, Resolver } from "./Resolver.js"
import { AddressRefused, NotHttps, TooManyInterim, UnaskedContinue, withLookup, withRoute } from "./Trouble.js"

export interface ConnectionOptions extends EgressPolicy {
  readonly resolver: Resolver
  /** A certificate authority to trust instead of the well-known ones; for tests. */
  readonly ca?: string | undefined
}

/**
 * The most bytes that are read of an answer's body. When a body is longer, the connection is closed and the rest is not
 * read.
 */
const MAX_BODY = 16 * 1024
const MAX_HEADERS = 16 * 1024
const SNIPPET = 1024
/**
 * The largest number of interim answers (1xx) that are read. undici counts the bytes of the headers anew after each
 * interim answer, so a receiver that sends nothing else would keep this process busy for the five seconds of the
 * attempt. The message of `TooManyInterim` contains this number.
 */
const INTERIM_MAX = 20
/**
 * The time-out for connecting. It is longer than the deadline of the whole exchange, so the deadline always comes
 * first.
 */
const CONNECT_MILLIS = 6_000
/**
 * How long Node tries one address of a host before it tries the next one; the last address has no limit. Node's default
 * is 250 ms. With this default, a machine without IPv6 could not reach a distant receiver that also has an IPv6
 * address. A longer time would leave too little of the five seconds of an attempt for a host whose first three
 * addresses are dead.
 */
const ADDRESS_MILLIS = 1_000
/**
 * Node's own servers close an idle connection after 5 s. A connection that was idle for longer than `KEEP_ALIVE_MILLIS`
 * is not reused, because the server may be closing it at the same moment.
 */
const KEEP_ALIVE_MILLIS = 4_000
const FAULTS_MAX = 1_000

/**
 * The pool of connections to receivers. Every address is checked at the moment of connecting, in the same step that
 * resolved it. An earlier look-up proves nothing, because a name can resolve to another address the next time (DNS
 * rebinding). `lookup` is not called for an address that is written in the URL, so such an address is checked first.
 */
export const makeAgent = (options: ConnectionOptions): Agent => {
  const { ca, resolver } = options
  /**
   * The hosts whose last look-up found no IPv4 addresses because of a fault. Several connections to one host may open
   * at the same time, so a host stays in this map when one of its connections fails.
   */
  const faults = new Map<string, Ipv4Fault>()
  const addresses = callbackify(async (hostname: string) => {
    const found = await resolver(hostname)
    const [first] = found
    if (first === undefined || !mayConnectToAll(found, options)) throw new AddressRefused()
    faults.delete(hostname)
    if (faults.size >= FAULTS_MAX) faults.clear()
    if (first.ipv4Fault !== undefined) faults.set(hostname, first.ipv4Fault)
    return { first, all: found.map(({ address, family }) => ({ address, family })) }
  })
  const lookup: Lookup = (hostname, lookupOptions, callback) =>
    addresses(hostname, (error, found) => {
      if (error !== null) callback(error, "", 4)
      else if (lookupOptions.all === true) callback(null, found.all)
      else callback(null, found.first.address, found.first.family)
    })
  const blamed = callbackify(async (error: Error, fault: Ipv4Fault | undefined) =>
    withRoute(await withLookup(error, fault))
  )
  let made: buildConnector.connector | undefined
  // Created on first use, because reading the well-known certificate authorities takes a noticeable part of a start,
  // and many processes send no webhook.
  const connector = () =>
    (made ??= buildConnector({
      rejectUnauthorized: true,
      // One TLS context serves all connections; otherwise each connection would make its own.
      secureContext: createSecureContext(ca === undefined ? {} : { ca }),
      lookup,
      allowH2: false,
      timeout: CONNECT_MILLIS,
      autoSelectFamilyAttemptTimeout: ADDRESS_MILLIS
    } as buildConnector.BuildOptions))
  return new Agent({
    connect: (target, callback) => {
      const address = literal(target.hostname)
      if (address !== undefined && !mayConnect(address, options)) return callback(new AddressRefused(), null)
      // An http address may still be stored from a time when `ALLOW_INSECURE_WEBHOOKS` was on.
      if (target.protocol !== "https:" && !options.allowInsecure) return callback(new NotHttps(), null)
      return connector()(target, (...[error, socket]) => {
        if (error === null) callback(null, socket)
        else blamed(error, faults.get(target.hostname), (failed, cause) => callback(failed ?? cause, null))
      })
    },
    pipelining: 1,
    maxHeaderSize: MAX_HEADERS,
    keepAliveTimeout: KEEP_ALIVE_MILLIS,
    // The limit for a receiver's `Keep-Alive` header, so that the header can only shorten the time for which an idle
    // connection is kept.
    keepAliveMaxTimeout: KEEP_ALIVE_MILLIS,
    // `HttpWebhookSender` sets one deadline for the whole exchange, so undici's time-outs for the headers and for
    // pauses in the body are off.
    headersTimeout: 0,
    bodyTimeout: 0
  })
}

type Lookup = (
  hostname: string,
  options: { readonly all?: boolean },
  callback: (error: Error | null, address: string | Array<{ address: string; family: number }>, family?: number) => void
) => void

export interface ExchangeAnswer {
  readonly status: number
  readonly snippet: string
  readonly headers: ReadonlyArray<readonly [string, string]>
}

export interface ExchangeRequest {
  readonly url: string
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: string
}

/** The receiver's answer, or the error, which `Trouble.toAnswer` turns into a `WebhookAnswer`. */
export type ExchangeOutcome = { readonly answered: ExchangeAnswer } | { readonly error: unknown }

/**
 * Makes one POST. A redirect is an answer like any other. `exchange` calls `done` once, unless the caller first calls
 * the returned function, which gives the POST up and closes the connection. `exchange` uses undici's dispatch handler,
 * because undici's `request` makes a stream, a signal and several promises for each answer.
 */
export const exchange = (
  agent: Agent,
  { body, headers, url }: ExchangeRequest,
  done: (outcome: ExchangeOutcome) => void
): (() => void) => {
  const answering = new AnswerCollector(done)
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

/** A cache of parsed URLs, because a worker posts to the same URLs again and again. */
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

/**
 * Reads an answer to its end or to `MAX_BODY` bytes, and keeps the first `SNIPPET` bytes. If the connection breaks
 * after the status arrived, the answer still counts.
 */
class AnswerCollector implements Dispatcher.DispatchHandler {
  private done: ((outcome: ExchangeOutcome) => void) | undefined
  private controller: Dispatcher.DispatchController | undefined
  private status: number | undefined
  private headers: IncomingHttpHeaders = {}
  private readonly chunks: Array<Buffer> = []
  private size = 0
  private interim = 0

  constructor(done: (outcome: ExchangeOutcome) => void) {
    this.done = done
  }

  settle(outcome: ExchangeOutcome): void {
    const { done } = this
    this.done = undefined
    done?.(outcome)
  }

  readonly leave = (): void => {
    this.done = undefined
    this.controller?.abort(new ExchangeAbandoned())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    // When the caller gave up before the connection was open, `done` is undefined, and the request is aborted here.
    if (this.done === undefined) controller.abort(new ExchangeAbandoned())
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // Interim answers (1xx) may come before the answer, and are ignored. undici does not pass an interim answer 100 to
    // this method, but closes the connection (`isContinue`).
    if (status < 200) {
      this.interim += 1
      if (this.interim > INTERIM_MAX) controller.abort(new TooManyInterim())
      return
    }
    this.status = status
    this.headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.size < SNIPPET) this.chunks.push(chunk.subarray(0, SNIPPET - this.size))
    this.size += chunk.length
    if (this.size <= MAX_BODY) return
    this.answered()
    controller.abort(new ExchangeAbandoned())
  }

  onResponseEnd(): void {
    this.answered()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.status === undefined) this.settle({ error: isContinue(error) ? new UnaskedContinue() : error })
    else this.answered()
  }

  private answered(): void {
    this.settle({
      answered: { status: this.status ?? 0, snippet: text(Buffer.concat(this.chunks)), headers: pairs(this.headers) }
    })
  }
}

/**
 * Whether undici closed the connection because of the interim answer 100. No setting of undici prevents this, and
 * only the message distinguishes this error from a connection that the receiver closed.
 */
const isContinue = (error: Error): boolean => error.message === "bad response"

/** The headers as pairs of name and value. A header that came several times makes several pairs. */
const pairs = (headers: IncomingHttpHeaders): ReadonlyArray<readonly [string, string]> =>
  Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): readonly [string, string] => [name, one])
  )

/**
 * The error with which an exchange is aborted, because the caller has given up or the body is longer than `MAX_BODY`.
 */
class ExchangeAbandoned extends Error {
  override readonly name = "ExchangeAbandoned"
}

/** Decodes the bytes as UTF-8. A character that the limit of `SNIPPET` bytes cut in two is left out. */
const text = (bytes: Buffer): string =>
  bytes.length === 0 ? "" : new TextDecoder("utf-8").decode(bytes, { stream: bytes.length === SNIPPET })
