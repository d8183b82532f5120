import type { Account } from "../../../accounts/Account.js"
import type { RedirectUri } from "../../../apps/RedirectUri.js"
import type { Secrets } from "../trace/Secrets.js"
import type { SabotageAnswers } from "./gateway/Told.js"

/** What the people outside keep to themselves: which account is whose, and which secrets belong to what. By the service's ids. */
export interface Registry {
  readonly secrets: Secrets
  readonly sabotageAnswers: SabotageAnswers | undefined
  readonly accounts: Map<string, Account>
  readonly apps: Map<string, KnownApp>
  /** Alias of the token of each phone. */
  readonly devices: Map<string, string>
  /** Reviewer and admin in one. */
  staff: Account | undefined
  /** What is named gets a number of its own. */
  readonly next: (what: string) => number
}

export interface KnownApp {
  readonly owner: Account
  readonly redirectUri: RedirectUri
  /** Alias of the newest one that the developer was told. */
  clientSecret: string | undefined
}

export const make = (secrets: Secrets, sabotageAnswers?: SabotageAnswers): Registry => {
  const counts = new Map<string, number>()
  return {
    secrets,
    sabotageAnswers,
    accounts: new Map(),
    apps: new Map(),
    devices: new Map(),
    staff: undefined,
    next: (what) => {
      const count = (counts.get(what) ?? 0) + 1
      counts.set(what, count)
      return count
    }
  }
}
