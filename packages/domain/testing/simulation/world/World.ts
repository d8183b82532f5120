import type { Effect } from "effect"
import * as App from "./App.js"
import { type NotDone, Stage } from "./Stage.js"
import * as User from "./User.js"

/** What a scenario works with: the simulated people and apps, and the service that they use. */
export class World extends Stage {
  /** Signs a person up. Only developers need `roles`. */
  user(name: string, roles: ReadonlyArray<string> = []): Effect.Effect<User.User, NotDone> {
    return User.make(this, name, roles)
  }

  /**
   * Creates an app. The app is approved, so that anybody can connect it, unless the draft keeps the app in the sandbox.
   * Without an owner in the draft, a new developer signs up as its owner.
   */
  app(draft: App.Draft): Effect.Effect<App.App, NotDone> {
    return App.make(this, draft)
  }
}

export { NotDone } from "./Stage.js"
