import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { AccountStore } from "../accounts/AccountStore.js"
import * as Entropy from "../shared/Entropy.js"
import { AppId } from "../shared/Ids.js"
import * as Scope from "../shared/Scope.js"
import * as Timestamp from "../shared/Timestamp.js"
import { type App, type Description, type HomepageUrl, INITIAL, type Name } from "./App.js"
import { AppStore } from "./AppStore.js"

export interface NewApp {
  readonly name: Name
  readonly description: Description
  readonly homepageUrl: HomepageUrl | null
  readonly scopes: ReadonlyArray<Scope.Scope>
}

/** A sandbox app of the account, without redirect URIs and secret. The first one makes the account a developer's. */
export const createApp = Effect.fn("createApp")(function* (account: Account, input: NewApp) {
  const accounts = yield* AccountStore
  const apps = yield* AppStore
  // The role first: a developer without apps is harmless, an app of somebody who is no developer is not.
  yield* accounts.addRoles(account.id, ["developer"])
  const app: App = {
    id: AppId.make(yield* Entropy.id("app")),
    ownerId: account.id,
    name: input.name,
    description: input.description,
    homepageUrl: input.homepageUrl,
    declaredScopes: Scope.normalise(input.scopes),
    ...INITIAL,
    createdAt: yield* Timestamp.now
  }
  yield* apps.create(app)
  return app
})
