import type { HttpServerRequest } from "@effect/platform"
import { Token } from "@place-access/domain/shared"
import { Option } from "effect"
import * as Credentials from "./Credentials.js"

type Request = Pick<HttpServerRequest.HttpServerRequest, "headers" | "url">

/** The credentials in a header `Authorization: Basic …`. */
export interface Basic {
  /** Whether the credentials were Base64 of `user:password`, as RFC 7617 requires. */
  readonly isEncoded: boolean
  readonly user: string
  readonly password: string
}

/**
 * The content of the header `Authorization: Basic …`; undefined when the header is missing or names another scheme.
 * Overland, when it logs to OwnTracks, sends `Basic TOKEN:` without encoding it, so a text that is not Base64 of a user
 * name, a colon and a password is taken unchanged.
 */
export const basic = (request: Pick<Request, "headers">): Basic | undefined => {
  const sent = /^Basic(?: +(.*))?$/is.exec(request.headers["authorization"]?.trim() ?? "")
  if (sent === null) return undefined
  const plain = sent[1] ?? ""
  const decoded = decode(plain)
  const text = decoded ?? plain
  const colon = text.indexOf(":")
  return {
    isEncoded: decoded !== undefined,
    user: colon < 0 ? text : text.slice(0, colon),
    password: colon < 0 ? "" : text.slice(colon + 1)
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

const decode = (text: string): string | undefined => {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined
  try {
    const decoded = utf8.decode(Buffer.from(text, "base64"))
    return decoded.includes(":") ? decoded : undefined
  } catch {
    return undefined
  }
}

/** The device token of a header, if any: the bearer token, or the password or user name of HTTP Basic. */
export const ofHeader = (request: Request): string | undefined => {
  const sent = Credentials.bearerToken(request)
  if (sent !== undefined) return sent
  const credentials = basic(request)
  return credentials === undefined ? undefined : [credentials.password, credentials.user].find(isDeviceToken)
}

/**
 * The device token in the query of an address (`?api_key=…` or `?token=…`), for phone apps that cannot send the token
 * in another place.
 */
export const ofAddress = ({ url }: Request): string | undefined => {
  const query = url.indexOf("?")
  if (query < 0) return undefined
  const parameters = new URLSearchParams(url.slice(query + 1))
  return (
    ["api_key", "token"].map((name) => parameters.get(name)).find((value) => value !== null && value !== "") ??
    undefined
  )
}

/** Whether the text has the form of a device token. Such a token may nevertheless be invalid. */
export const isDeviceToken = (text: string): boolean => Option.exists(Token.parse(text), ({ kind }) => kind === "dv")
