import { HttpServerRequest } from "@effect/platform"
import { Effect, Option } from "effect"
import { isIP } from "node:net"
import { HttpOptions } from "../HttpOptions.js"

/**
 * The network address of the client. For example, attempts to sign in are counted against it, and the list of sessions
 * shows it. Behind a trusted proxy, this is the last entry of X-Forwarded-For, the only entry that the proxy itself
 * wrote. Without a trusted proxy, or when this entry is no network address, this is the address of the peer.
 */
export const clientAddress: Effect.Effect<string, never, HttpOptions | HttpServerRequest.HttpServerRequest> =
  Effect.zipWith(HttpOptions, HttpServerRequest.HttpServerRequest, ({ trustProxy }, request) => {
    const peer = Option.getOrElse(request.remoteAddress, () => "unknown")
    const forwarded = trustProxy ? request.headers["x-forwarded-for"]?.split(",").at(-1)?.trim() : undefined
    return plain(forwarded !== undefined && isIP(forwarded) !== 0 ? forwarded : peer)
  })

/**
 * `::ffff:192.0.2.1` and `192.0.2.1` are one address. A zone such as `%eth0` names an interface of this server, so the
 * zone is cut off.
 */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "").replace(/%.*$/, "")
