import type { Deferred, Effect } from "effect"
import type { Account } from "../../../src/accounts/Account.js"
import type { RedirectUri } from "../../../src/apps/RedirectUri.js"
import type { ListenerMessage } from "../../../src/listeners/Listener.js"
import type { Secrets } from "../trace/Secrets.js"
import type { SabotageAnswers } from "./gateway/GatewayAnswer.js"

/** A message of an event stream. The first message, `Ready`, names the listener. */
export type StreamMessage =
  | { readonly _tag: "Ready"; readonly listenerId: string; readonly secret: string | null }
  | Exclude<ListenerMessage, { readonly _tag: "Ready" }>

/**
 * What the simulated people and apps know, outside the service: their accounts and secrets. The keys are ids that the
 * service has assigned.
 */
export interface Registry {
  readonly secrets: Secrets
  readonly sabotageAnswers: SabotageAnswers | undefined
  readonly accounts: Map<string, Account>
  readonly apps: Map<string, KnownApp>
  /** The alias of each phone's token. The key is the id of the device. */
  readonly devices: Map<string, string>
  /** The ids of the users who imported files. */
  readonly importers: Set<string>
  /**
   * The readers of the open streams. The key is the id of the listener; completing the Deferred makes the reader leave.
   */
  readonly readers: Map<string, Deferred.Deferred<void>>
  /** Records a message that the reader of a stream got. Null: the reader left. */
  readonly hear: (listenerId: string, message: StreamMessage | null) => Effect.Effect<void>
  /** The account that reviews apps and purposes and is admin. A run has one account of this kind. */
  staff: Account | undefined
  /**
   * Returns the number of calls of `next` with this name so far. So each thing with the same name gets a different
   * number.
   */
  readonly next: (what: string) => number
}

export interface KnownApp {
  readonly owner: Account
  readonly redirectUri: RedirectUri
  /** The alias of the newest client secret that the developer received for the app. */
  clientSecret: string | undefined
}

export const make = (secrets: Secrets, hear: Registry["hear"], sabotageAnswers?: SabotageAnswers): Registry => {
  const counts = new Map<string, number>()
  return {
    secrets,
    sabotageAnswers,
    accounts: new Map(),
    apps: new Map(),
    devices: new Map(),
    importers: new Set(),
    readers: new Map(),
    hear,
    staff: undefined,
    next: (what) => {
      const count = (counts.get(what) ?? 0) + 1
      counts.set(what, count)
      return count
    }
  }
}
