import { Either, Redacted } from "effect"
import { decodePercent } from "./decodePercent.js"
import type { Parse } from "./Setting.js"

/** The mail server that sends the service's e-mail. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /**
   * True: TLS from the first byte. False: STARTTLS if the server offers it (required for a login at another machine).
   */
  readonly isSecure: boolean
  readonly login: { readonly user: string; readonly password: Redacted.Redacted } | null
}

export interface Sender {
  /** The name that the From header shows; "" when there is none. */
  readonly name: string
  readonly address: string
  /** The domain of the address, after the @. */
  readonly domain: string
}

export interface Smtp {
  readonly server: SmtpServer
  readonly from: Sender
}

const PORTS: Readonly<Record<string, number>> = { "smtp:": 587, "smtps:": 465 }

/** Parses `smtp://user:password@host:587` or `smtps://…`, with user and password percent-encoded. */
export const parseUrl: Parse<SmtpServer> = (text) => {
  const expected =
    "an address such as smtp://user:password@mail.example.com:587 or smtps://user:password@mail.example.com"
  if (!URL.canParse(text)) return Either.left(expected)
  const url = new URL(text)
  const standard = PORTS[url.protocol]
  const isPlain = /^\/?$/.test(url.pathname) && url.search === "" && url.hash === ""
  const user = decodePercent(url.username)
  const password = decodePercent(url.password)
  if (standard === undefined || url.hostname === "" || !isPlain || user === undefined || password === undefined) {
    return Either.left(expected)
  }
  if ((user === "") !== (password === "")) return Either.left(`${expected}, with user and password or neither`)
  return Either.right({
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? standard : Number(url.port),
    isSecure: url.protocol === "smtps:",
    login: user === "" ? null : { user, password: Redacted.make(password) }
  })
}

/** Parses `no-reply@example.com` or `Places <no-reply@example.com>`. */
export const parseSender: Parse<Sender> = (text) => {
  const found = /^(?:([^<>"\p{Cc}]{1,100}?)\s*<([^\s<>@]+@[^\s<>@]+)>|([^\s<>@]+@[^\s<>@]+))$/u.exec(text)
  const address = found?.[2] ?? found?.[3]
  return address === undefined
    ? Either.left("an e-mail address, or a name and an address such as Places <no-reply@example.com>")
    : Either.right({ name: found?.[1] ?? "", address, domain: address.slice(address.indexOf("@") + 1) })
}
