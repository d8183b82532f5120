import { Words } from "@place-access/domain/shared"
import type { Answer } from "./forward.js"
import * as Messages from "./Messages.js"
import type { Options } from "./options.js"

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" })

/** `12:01:02`, where the reader is. */
export const at = (millis: number): string => clock.format(millis)

/** What the service says is shown, not obeyed by the terminal, and deceives no eye. Lines stay lines. */
export const plain = (text: string): string =>
  text.replace(
    /(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** What the service waits for an answer. */
const DEADLINE_MILLIS = 5_000

/** `place.enter evt_… -> 200 (12 ms)` */
export const told = (event: typeof Messages.Told.Type, answer: Answer | undefined): string =>
  answer === undefined ? plain(Messages.name(event)) : `${plain(Messages.name(event))} -> ${outcome(answer)}`

const outcome = (answer: Answer): string => {
  if (answer._tag === "Failed") return `not received: ${answer.why}`
  const { millis, status } = answer
  const said = `${status} (${millis} ms)`
  if (status < 200 || status > 299) return `${said}, which counts as a failure: only 2xx is success`
  return millis > DEADLINE_MILLIS ? `${said}, which counts as a failure: the service waits 5 s` : said
}

/** As text that people read; as it came when it is none. */
export const body = ({ body }: typeof Messages.Told.Type): string => {
  try {
    return plain(JSON.stringify(JSON.parse(body), null, 2))
  } catch {
    return plain(body)
  }
}

interface Begun {
  readonly app: string
  readonly options: Options
  readonly ready: typeof Messages.Ready.Type
}

export const begun = ({ app, options, ready: { endpoint_id: endpoint, secret } }: Begun): string =>
  [
    options.endpoint === undefined
      ? `Listening to ${app}${options.events.length === 0 ? "" : ` for ${options.events.join(", ")}`}.`
      : `Listening to what endpoint ${endpoint} of ${app} is sent.`,
    options.forward === undefined
      ? "Events are shown here only: --forward URL posts them."
      : `Forwarding to ${options.forward.href}`,
    secret === null
      ? "Verify with the endpoint's own signing secret, which was shown when it was made or rotated."
      : `Signing secret, the same whenever you listen to this app: ${secret}`,
    "Nothing is kept for later and nothing is tried twice. Control-C ends it.\n"
  ].join("\n")

export const again = "Listening again."

export const lost = (why: string, millis: number): string =>
  `Not connected: ${why}. Events of this time are not sent here. Next try in ${Words.count(Math.round(millis / 1_000), "second")}.`

export const dropped = (count: number): string =>
  `${Words.count(count, "event was", "events were")} dropped: they came faster than they went.`
