import { Scope } from "@place-access/domain/shared"
import type { World } from "../support/World.js"

/** A purpose as its developer declares it. */
export const NEW = {
  key: "find_friends",
  description: "Shows your friends where you are",
  scopes: ["location.lookup"],
  expected_daily_volume: 24
}

/** A developer with an app, and a function that declares purposes for the app. */
export const developerIn = async (world: World, overrides: Parameters<World["app"]>[1] = {}) => {
  const owner = await world.person()
  const { app, clientSecret } = await world.app(owner, { declaredScopes: Scope.all, ...overrides })
  const path = `/v1/developer/apps/${app.id}`
  const purpose = async (change: Record<string, unknown> = {}) => {
    const answer = await owner.send("POST", `${path}/purposes`, { ...NEW, ...change })
    return answer.json as { readonly id: string }
  }
  return { owner, app, clientSecret, path, purpose }
}
