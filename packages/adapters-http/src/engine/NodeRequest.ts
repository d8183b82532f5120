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

/**
 * A request as Node received it. Its body cannot be read until the edge has limited the body's size (`Body.bounded`).
 */
export class NodeRequest extends Inspectable.Class implements HttpServerRequest.HttpServerRequest {
  readonly [HttpServerRequest.TypeId]: HttpServerRequest.TypeId = HttpServerRequest.TypeId
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly source: IncomingMessage
  readonly method: HttpMethod.HttpMethod
  readonly url: string

  constructor(source: IncomingMessage, url = source.url ?? "/") {
    super()
    this.source = source
    this.method = (source.method ?? "GET").toUpperCase() as HttpMethod.HttpMethod
    this.url = url
  }

  get originalUrl(): string {
    return this.url
  }
  /**
   * Names are in lower case. When a header is sent twice, Node joins its values. For some headers, such as `Host`, Node
   * keeps only the first value.
   */
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

  /** The same request with another address. No other part of a request can be changed. */
  modify({ url = this.url }: { readonly url?: string }): HttpServerRequest.HttpServerRequest {
    return new NodeRequest(this.source, url)
  }

  /**
   * The form of the request in logs and traces. The query is left out, because phones put their positions and their
   * token into the query.
   */
  toJSON(): unknown {
    return { method: this.method, url: this.url.replace(/\?.*/s, "?…") }
  }
}
