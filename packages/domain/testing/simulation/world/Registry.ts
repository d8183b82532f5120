import type { Deferred, Effect } from "effect"
import type { Account } from "../../../src/accounts/Account.js"
import type { RedirectUri } from "../../../src/apps/RedirectUri.js"
import type { ListenerMessage } from "../../../src/listeners/Listener.js"
import type { Secrets } from "../trace/Secrets.js"
import type { SabotageAnswers } from "./gateway/GatewayAnswer.js"

/** A message of a stream of events. The first message names the listener. */
export type StreamMessage =
  | { readonly _tag: "Ready"; readonly listenerId: string; readonly secret: string | null }
  | Exclude<ListenerMessage, { readonly _tag: "Ready" }>

/** What the simulated people and apps remember outside the service: accounts and secrets, by the ids of the service. */
export interface Registry {
  readonly secrets: Secrets
  readonly sabotageAnswers: SabotageAnswers | undefined
  readonly accounts: Map<string, Account>
  readonly apps: Map<string, KnownApp>
  /** The alias of each phone's token. */
  readonly devices: Map<string, string>
  /** The accounts that imported files. */
  readonly importers: Set<string>
  /** The readers of the open streams, by listener: completing an entry makes its reader leave. */
  readonly readers: Map<string, Deferred.Deferred<void>>
  /** Records the message that the reader of a stream got; null: the reader left. */
  readonly hear: (listenerId: string, message: StreamMessage | null) => Effect.Effect<void>
  /** One account that is reviewer and admin. */
  staff: Account | undefined
  /** Counts up for each name, so that two things with the same name get different numbers. */
  readonly next: (what: string) => number
}

export interface KnownApp {
  readonly owner: Account
  readonly redirectUri: RedirectUri
  /** The alias of the newest client secret that the developer received. */
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
