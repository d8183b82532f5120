import type { HttpServerRequest } from "@effect/platform"

/** An app's id and secret, as HTTP Basic carries them. */
export interface BasicCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** The credentials of `Authorization: Basic …`; undefined when the header is missing or cannot be read. */
export const basic = (request: Pick<HttpServerRequest.HttpServerRequest, "headers">): BasicCredentials | undefined => {
  const token = /^Basic +([A-Za-z0-9+/_-]+={0,2}) *$/i.exec(request.headers["authorization"] ?? "")?.[1]
  if (token === undefined) return undefined
  const text = Buffer.from(token, "base64").toString("utf8")
  const colon = text.indexOf(":")
  if (colon < 0) return undefined
  return { clientId: formDecoded(text.slice(0, colon)), clientSecret: formDecoded(text.slice(colon + 1)) }
}

/**
 * RFC 6749 §2.3.1 requires clients to form-encode the id and the secret. Some clients do not encode, so a text that
 * cannot be decoded is returned unchanged.
 */
const formDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return text
  }
}
