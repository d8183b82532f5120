import { isLoopbackUrl, Mail, SmtpMailer } from "@place-access/worker"
import { Clock, Effect } from "effect"
import { type ServerSettings, unknownClients } from "../ServerSettings.js"
import * as Check from "./Check.js"
import * as clock from "./clock.js"

const PATIENCE_MS = 5_000

/**
 * Checks whether BASE_URL is encrypted, whether this machine reaches the service there, and whether the clock of the
 * service agrees with this machine's clock.
 */
export const baseUrl = ({
  addresses
}: Pick<ServerSettings, "addresses">): Effect.Effect<ReadonlyArray<Check.Finding>> =>
  Effect.gen(function* () {
    const url = addresses.baseUrl
    const isPlain = url.startsWith("http:") && !isLoopbackUrl(url)
    const encryption = isPlain
      ? [
          Check.problem(
            "encryption",
            "BASE_URL is http: passwords, tokens and locations travel unencrypted",
            "Put a proxy with a certificate in front, and set BASE_URL to its https address."
          )
        ]
      : []
    const answer = yield* Effect.tryPromise(() =>
      fetch(`${url}/healthz`, { redirect: "manual", signal: AbortSignal.timeout(PATIENCE_MS) })
    ).pipe(Effect.option)
    if (answer._tag === "None") {
      return [
        ...encryption,
        Check.warning(
          "BASE_URL",
          "nothing answers there",
          "Start the server, if it does not run. If it runs: check the name, the proxy, its certificate and the firewall."
        )
      ]
    }
    const { headers, status } = answer.value
    const date = Date.parse(headers.get("date") ?? "")
    const now = yield* Clock.currentTimeMillis
    return [
      ...encryption,
      status === 200
        ? Check.ok("BASE_URL", "the service answers there")
        : Check.problem(
            "BASE_URL",
            `something answers there, but /healthz is ${status} and not 200`,
            "Check that the proxy passes every path on to this server, and that BASE_URL is its address."
          ),
      // The Date header has whole seconds only, so the real time was half a second later on average. So half a second
      // is added.
      ...(Number.isNaN(date)
        ? []
        : [{ ...clock.judged("that of BASE_URL", date + 500 - now), check: "clock of BASE_URL" }])
    ]
  })

/**
 * Warns of pages on which no passkey works: those whose host is neither the host of BASE_URL nor a subdomain of it.
 * With an IP address in BASE_URL the service offers no passkeys (decision factors-3).
 */
export const passkeys = ({ addresses }: Pick<ServerSettings, "addresses">): ReadonlyArray<Check.Finding> => {
  const host = new URL(addresses.baseUrl).hostname
  if (/^\[|^[\d.]+$/.test(host)) return []
  const pages = { AUTH_URL: addresses.authUrl, USER_PORTAL_URL: addresses.userPortalUrl }
  return Object.entries(pages)
    .filter(([, url]) => !`.${new URL(url).hostname}`.endsWith(`.${host}`))
    .map(([setting, url]) =>
      Check.warning(
        setting,
        `no passkey works on the pages at ${url}, because passkeys belong to the host of BASE_URL, ${host}`,
        `Set ${setting} to an address of ${host} or of one of its subdomains.`
      )
    )
}

/** Checks whether the server learns the addresses of its clients. */
export const proxy = (settings: Pick<ServerSettings, "addresses" | "trustProxy">): ReadonlyArray<Check.Finding> => {
  const says = unknownClients(settings)
  return says === undefined
    ? []
    : [Check.warning("proxy", says, "Set TRUST_PROXY=true, and let the proxy set X-Forwarded-For.")]
}

/** Checks whether the mail server accepts a connection and the login. Sends no message. */
export const mail = ({ addresses, host, mail: smtp }: Pick<ServerSettings, "addresses" | "host" | "mail">) =>
  smtp === null
    ? Effect.succeed(withoutMail(addresses, host))
    : Effect.map(SmtpMailer.check(smtp), (reason) =>
        reason === null
          ? Check.ok("mail", "the mail server accepts the login")
          : Check.problem("mail", `the mail server cannot be used: ${reason}`, "Check SMTP_URL and the mail server.")
      )

const withoutMail = (addresses: ServerSettings["addresses"], host: string): Check.Finding => {
  if (Mail.hasMailbox(null, addresses, host)) {
    return Check.ok("mail", "no SMTP_URL: messages are shown at /dev/mailbox of this machine")
  }
  return isLoopbackUrl(addresses.baseUrl)
    ? Check.warning(
        "mail",
        `no SMTP_URL: nobody is mailed, and /dev/mailbox is off, because other machines reach HOST ${host}`,
        "Set SMTP_URL and MAIL_FROM, or HOST to 127.0.0.1."
      )
    : Check.warning(
        "mail",
        "no SMTP_URL: nobody is mailed, not even when a token leaked",
        "Set SMTP_URL and MAIL_FROM."
      )
}
