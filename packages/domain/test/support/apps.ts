import { App } from "@place-access/domain/apps"
import { AppId, Timestamp, UserId } from "@place-access/domain/shared"

/** An app in the sandbox, for tests of decisions. No store has it. */
export const appOf = (overrides: Partial<App.App> = {}): App.App => ({
  id: AppId.make("app_1"),
  ownerId: UserId.make("usr_1"),
  name: App.AppName.make("Coffee Finder"),
  description: App.AppDescription.make("Finds good coffee."),
  homepageUrl: App.HomepageUrl.make("https://coffee.example"),
  declaredScopes: ["location.place.current", "location.lookup"],
  ...App.INITIAL,
  createdAt: Timestamp.make(0),
  ...overrides
})
