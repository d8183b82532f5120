import { Effect, Option } from "effect"
import type { AppId } from "../shared/Ids.js"
import { AppStore } from "./AppStore.js"

/** The names of now, by id; a page names a few apps at most, however many rows it has. */
export const nameApps = (ids: Iterable<AppId>) =>
  Effect.gen(function* () {
    const apps = yield* AppStore
    const names = new Map<AppId, string>()
    for (const id of new Set(ids)) {
      const app = yield* apps.find(id)
      if (Option.isSome(app)) names.set(id, app.value.name)
    }
    return names
  })
