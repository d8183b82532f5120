import type { Effect } from "effect"
import * as App from "./App.js"
import { type NotDone, Stage } from "./Stage.js"
import * as User from "./User.js"

/** What a scenario talks to: the people outside, and all that they act on. */
export class World extends Stage {
  /** Somebody with an account; `roles` for developers. */
  user(name: string, roles: ReadonlyArray<string> = []): Effect.Effect<User.User, NotDone> {
    return User.make(this, name, roles)
  }

  /** An app that anybody can connect, unless it stays in the sandbox; its developer signs up with it, if nobody is named. */
  app(draft: App.Draft): Effect.Effect<App.App, NotDone> {
    return App.make(this, draft)
  }
}

export { NotDone } from "./Stage.js"
