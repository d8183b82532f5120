import { HttpServerResponse } from "@effect/platform"
import { Timestamp } from "@place-access/domain/shared"
import { DateTime, Effect } from "effect"
import { portalPath, type ServiceOptions } from "../HttpOptions.js"
import { seeOther } from "./kit/Page.js"
import * as Routes from "./kit/Routes.js"

// Addresses that programs look for on every site (RFC 8615).

/** How long programs may use a copy of security.txt. RFC 9116 §2.5.5 recommends less than a year. */
const VALID_FOR = 180 * Timestamp.DAY

/** The file that says where to report a vulnerability (RFC 9116). */
const securityTxt = (contact: string, { baseUrl }: ServiceOptions) =>
  Effect.map(Timestamp.now, (now) => {
    const expires = DateTime.formatIso(DateTime.unsafeMake(Timestamp.plus(now, VALID_FOR)))
    const lines = [
      `Contact: ${contact}`,
      `Expires: ${expires}`,
      "Preferred-Languages: en",
      `Canonical: ${baseUrl}/.well-known/security.txt`
    ]
    return HttpServerResponse.text(`${lines.join("\n")}\n`, { contentType: "text/plain; charset=utf-8" })
  })

/** Password managers send people to `change-password` (W3C, "A Well-Known URL for Changing Passwords"). */
export const routes = (options: ServiceOptions) => {
  const change = seeOther(`${portalPath(options)}/settings/password`)
  const { securityContact } = options
  return [
    Routes.get("/.well-known/change-password", Effect.succeed(change)),
    ...(securityContact == null ? [] : [Routes.get("/.well-known/security.txt", securityTxt(securityContact, options))])
  ]
}
