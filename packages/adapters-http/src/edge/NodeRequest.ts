import {
  Cookies,
  type Headers,
  HttpIncomingMessage,
  type HttpMethod,
  HttpServerRequest,
  UrlParams
} from "@effect/platform"
import { Effect, Inspectable, Option, Stream } from "effect"
import type { IncomingMessage } from "node:http"

const unbounded = Effect.dieMessage("A body is read within bounds (Body.bounded)")
const unboundedStream = Stream.fromEffect(unbounded)

/** A request as node received it. Its body is nobody's to read until the edge has put bounds around it. */
export class NodeRequest extends Inspectable.Class implements HttpServerRequest.HttpServerRequest {
  readonly [HttpServerRequest.TypeId]: HttpServerRequest.TypeId = HttpServerRequest.TypeId
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly source: IncomingMessage
  readonly method: HttpMethod.HttpMethod
  readonly url: string

  constructor(source: IncomingMessage) {
    super()
    this.source = source
    this.method = (source.method ?? "GET").toUpperCase() as HttpMethod.HttpMethod
    this.url = source.url ?? "/"
  }

  get originalUrl(): string {
    return this.url
  }
  /** Names in lower case; node joins the values of one that is repeated. */
  get headers(): Headers.Headers {
    return this.source.headers as Headers.Headers
  }
  get cookies(): Readonly<Record<string, string>> {
    return Cookies.parseHeader(this.source.headers.cookie ?? "")
  }
  get remoteAddress(): Option.Option<string> {
    return Option.fromNullable(this.source.socket.remoteAddress)
  }

  get urlParamsBody(): Effect.Effect<UrlParams.UrlParams> {
    return Effect.map(this.text, (text) => UrlParams.fromInput(new URLSearchParams(text)))
  }
  readonly text: Effect.Effect<string> = unbounded
  readonly json: Effect.Effect<unknown> = unbounded
  readonly arrayBuffer: Effect.Effect<never> = unbounded
  readonly multipart: Effect.Effect<never> = unbounded
  readonly upgrade = unbounded
  readonly stream = unboundedStream
  readonly multipartStream = unboundedStream

  modify(): HttpServerRequest.HttpServerRequest {
    return this
  }

  /** What logs and traces show of it: without the query, where phones put places and their token. */
  toJSON(): unknown {
    return { method: this.method, url: this.url.replace(/\?.*/s, "?…") }
  }
}
