import { Option, Schema } from "effect"
import { network } from "../accounts/SignInThrottle.js"
import type { AppId, ConnectionId, DeviceId } from "../shared/Ids.js"

/** Whose calls are counted together. */
export const Subject = Schema.String.pipe(Schema.brand("Subject"))
export type Subject = typeof Subject.Type

/** What of a subject is said of many. */
export const KINDS = ["connection", "device", "client", "sign-up", "consent"] as const
export type Kind = (typeof KINDS)[number]

/** Which of them it is. */
export const kindOf = (subject: Subject): Kind => KINDS.find((kind) => subject.startsWith(`${kind} `)) ?? "client"

/** What an app asks about one user. */
export const connection = (id: ConnectionId): Subject => Subject.make(`connection ${id}`)

/** What one phone sends. */
export const device = (id: DeviceId): Subject => Subject.make(`device ${id}`)

/**
 * An app that a client says it is, at one address: whoever guesses at an app's secret from elsewhere cannot lock the app out. None: a
 * client of a name that no app has. All of those at one address count as one, so that made-up names are no way around.
 */
export const client = (id: Option.Option<AppId>, address: string): Subject =>
  Subject.make(`client ${Option.getOrElse(id, () => "?")} ${network(address)}`)

/** New accounts from one network. */
export const signUp = (address: string): Subject => Subject.make(`sign-up ${network(address)}`)

/** Consent pages opened from one network. */
export const consent = (address: string): Subject => Subject.make(`consent ${network(address)}`)
