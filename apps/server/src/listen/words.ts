import { Words } from "@place-access/domain/shared"
import type { ForwardedAnswer } from "./forward.js"
import * as Messages from "./Messages.js"
import type { ListenOptions } from "./options.js"

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" })

/** A time such as `12:01:02`, in the reader's time zone. */
export const at = (millis: number): string => clock.format(millis)

/**
 * Escapes control characters, which a terminal would carry out, and invisible characters, which can break a line or
 * change the order in which a reader sees the text. Keeps line feeds.
 */
export const plain = (text: string): string =>
  text.replace(
    /(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** How long the service waits for an answer. */
const DEADLINE_MILLIS = 5_000

/** The line that shows an event and the local program's answer, such as `place.enter evt_… -> 200 (12 ms)`. */
export const eventLine = (event: typeof Messages.EventMessage.Type, answer: ForwardedAnswer | undefined): string =>
  answer === undefined ? plain(Messages.name(event)) : `${plain(Messages.name(event))} -> ${outcome(answer)}`

const outcome = (answer: ForwardedAnswer): string => {
  if (answer._tag === "Failed") return `not received: ${answer.why}`
  const { millis, status } = answer
  const said = `${status} (${millis} ms)`
  if (status < 200 || status > 299) return `${said}, which counts as a failure: only 2xx is success`
  return millis > DEADLINE_MILLIS ? `${said}, which counts as a failure: the service waits 5 s` : said
}

/** Formats a JSON body for reading; leaves any other body as it is. Escapes some characters in both (`plain`). */
export const body = ({ body }: typeof Messages.EventMessage.Type): string => {
  try {
    return plain(JSON.stringify(JSON.parse(body), null, 2))
  } catch {
    return plain(body)
  }
}

interface ListenStart {
  readonly app: string
  readonly options: ListenOptions
  readonly ready: typeof Messages.Ready.Type
}

export const begun = ({ app, options, ready: { endpoint_id: endpoint, secret } }: ListenStart): string =>
  [
    options.endpoint === undefined
      ? `Listening to ${app}${options.events.length === 0 ? "" : ` for ${options.events.join(", ")}`}.`
      : `Listening to the events of endpoint ${endpoint} of ${app}.`,
    options.forward === undefined
      ? "Events are only shown here. To post them to a program, add --forward URL."
      : `Forwarding to ${options.forward.href}`,
    secret === null
      ? "To verify signatures, use the endpoint's signing secret. The service showed it when it was made or rotated."
      : `Signing secret, the same whenever you listen to this app: ${secret}`,
    "Events are forwarded once and not kept. Control-C ends the command.\n"
  ].join("\n")

/** The text when the stream is open again. `secret`: the new signing secret; null if the secret has not changed. */
export const listeningAgain = (secret: string | null): string =>
  secret === null ? "Listening again." : `Listening again. The signing secret is new: ${secret}`

export const lost = (why: string, millis: number): string =>
  `Not connected: ${why}. Events that happen now are not forwarded. Next try in ${Words.count(Math.round(millis / 1_000), "second")}.`

export const dropped = (count: number): string =>
  `${Words.count(count, "event was", "events were")} dropped: events came faster than they could be forwarded.`
