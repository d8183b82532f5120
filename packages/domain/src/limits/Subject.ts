import { Option, Schema } from "effect"
import { network } from "../accounts/SignInThrottle.js"
import { AppId, type ConnectionId, type DeviceId } from "../shared/Ids.js"

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
 * A client as it names itself, at one address: whoever guesses at an app's secret from elsewhere cannot lock the app out. What
 * cannot be a client's id counts as one, so that made-up names are no way around.
 */
export const client = (clientId: string | undefined, address: string): Subject =>
  Subject.make(`client ${Option.getOrElse(Schema.decodeUnknownOption(AppId)(clientId), () => "?")} ${network(address)}`)

/** New accounts from one network. */
export const signUp = (address: string): Subject => Subject.make(`sign-up ${network(address)}`)

/** Consent pages opened from one network. */
export const consent = (address: string): Subject => Subject.make(`consent ${network(address)}`)
