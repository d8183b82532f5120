import type { Effect } from "effect"
import * as App from "./App.js"
import { type NotDone, Stage } from "./Stage.js"
import * as User from "./User.js"

/** What a scenario works with: the simulated people and apps, and the service. */
export class World extends Stage {
  /** Signs a person up as a user. Only staff need `roles`. */
  user(name: string, roles: ReadonlyArray<string> = []): Effect.Effect<User.User, NotDone> {
    return User.make(this, name, roles)
  }

  /**
   * Creates an app. By default the app is approved, so that any user can connect it; with `production: false` the app
   * stays in the sandbox. Without an owner in the draft, a new developer signs up and owns the app.
   */
  app(draft: App.Draft): Effect.Effect<App.App, NotDone> {
    return App.make(this, draft)
  }
}

export { NotDone } from "./Stage.js"
