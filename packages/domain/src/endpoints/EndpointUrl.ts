// The address of an endpoint, and why an address is refused. Decisions endpoints-1 and endpoints-2.
import { Schema } from "effect"
import { brand } from "../shared/Errors.js"

/**
 * Which addresses endpoints may have (Spec §4.7): https and a public host name; `UrlFault` has all conditions. The
 * webhook sender checks that the name resolves to public addresses, at registration and at every connection.
 */
export interface Policy {
  /**
   * The development switch `ALLOW_INSECURE_WEBHOOKS`. When it is on, http, host names that are not public, and IP
   * addresses in the URL are permitted, too. A loopback address is then permitted; an address in a private network is
   * still refused.
   */
  readonly allowInsecure: boolean
}

export const MAX_LENGTH = 2_048

export const EndpointUrl = Schema.String.pipe(Schema.maxLength(MAX_LENGTH), brand("EndpointUrl"))
export type EndpointUrl = typeof EndpointUrl.Type

/**
 * The scheme, host and port of a valid address, as text with A to Z in lower case. Two texts of one origin can differ,
 * such as `https://example.com` and `https://example.com:443`; the texts of two origins always differ.
 */
export const originOf = (url: string): string | undefined =>
  /^[^:]*:\/*[^/?#]*/.exec(url)?.[0].replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

export type UrlFault =
  | "too_long"
  | "not_a_url"
  | "not_https"
  | "credentials"
  | "port"
  | "fragment"
  | "ip_literal"
  | "not_public_host"

export const message: Readonly<Record<UrlFault, string>> = {
  too_long: "must be at most 2,048 characters",
  not_a_url: "must be an absolute https address",
  not_https: "must begin with https://",
  credentials: "must not carry a user name or password",
  port: "must have a port from 1 to 65,535",
  fragment: "must not have a fragment (#…)",
  ip_literal: "must name a host, not an IP address",
  not_public_host: "must be a public host name (not localhost, .local, .internal or a single label)"
}
