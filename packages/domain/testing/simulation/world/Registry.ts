import type { Account } from "../../../src/accounts/Account.js"
import type { RedirectUri } from "../../../src/apps/RedirectUri.js"
import type { Secrets } from "../trace/Secrets.js"
import type { SabotageAnswers } from "./gateway/GatewayAnswer.js"

/** What the people outside keep to themselves: their accounts and secrets, by the ids of the service. */
export interface Registry {
  readonly secrets: Secrets
  readonly sabotageAnswers: SabotageAnswers | undefined
  readonly accounts: Map<string, Account>
  readonly apps: Map<string, KnownApp>
  /** The alias of each phone's token. */
  readonly devices: Map<string, string>
  /** One account that is reviewer and admin. */
  staff: Account | undefined
  /** The next free number for a name, so that two things of one name differ. */
  readonly next: (what: string) => number
}

export interface KnownApp {
  readonly owner: Account
  readonly redirectUri: RedirectUri
  /** The alias of the newest client secret that the developer received. */
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
