import type { Account } from "../accounts/Account.js"
import type { App } from "../apps/App.js"

/** Whose app it is, as reviewers and admins see it. */
export type Developer = Pick<Account, "id" | "displayName" | "email">

export interface DevelopedApp {
  readonly app: App
  readonly developer: Developer
}
