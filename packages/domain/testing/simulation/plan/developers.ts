import { Effect } from "effect"
import type { Operation } from "../Operations.js"
import { type Address, at, type Cast, type Company, done, long, type Took } from "./Cast.js"
import { type Deed, SCOPES, type ShortScope } from "./Plan.js"

type DeveloperStep = Extract<
  Deed,
  {
    readonly do:
      | "endpoint"
      | "edit endpoint"
      | "script"
      | "move endpoint"
      | "enable endpoint"
      | "remove endpoint"
      | "rotate secret"
      | "test endpoint"
      | "redeliver"
      | "retry now"
      | "recover"
      | "look"
      | "new secret"
      | "submit app"
      | "declare"
      | "new purpose"
      | "edit purpose"
      | "submit purpose"
      | "archive purpose"
      | "decide purpose"
      | "decide app"
      | "narrow app"
      | "revoke app"
      | "read flags"
  }
>

const NOTHING = Effect.succeed(false)
const STAFF = "reviewer"

/** Performs a step of a developer, a reviewer or an admin. */
export const act = (cast: Cast, step: DeveloperStep): Took => {
  if (step.do === "read flags") return Effect.as(done(cast, "readFlags", {}, STAFF), true)
  if ("endpoint" in step) {
    const endpoint = at(cast.endpoints, step.endpoint)
    return endpoint === undefined ? NOTHING : ofEndpoint(cast, endpoint, step)
  }
  const app = at(cast.apps, step.app)
  if (app === undefined) return NOTHING
  return "purpose" in step ? ofPurpose(cast, app, step) : ofApp(cast, app, step)
}

const ofEndpoint = (
  cast: Cast,
  endpoint: Address,
  step: Extract<DeveloperStep, { readonly endpoint: number }>
): Took => {
  const { app, id: endpointId } = endpoint
  const whose = { appId: app.id, endpointId }
  const did = <A>(work: Effect.Effect<A>) => Effect.as(work, true)
  switch (step.do) {
    case "script":
      return did(Effect.sync(() => cast.world.receivers.script(endpoint.url, step.replies)))
    case "edit endpoint":
      return did(done(cast, "editEndpoint", { ...whose, events: step.events }, app.owner))
    case "move endpoint":
      return Effect.gen(function* () {
        const url = `${endpoint.url}+`
        cast.world.receivers.script(url, 200)
        if ((yield* done(cast, "editEndpoint", { ...whose, url }, app.owner)) !== undefined) endpoint.url = url
        return true
      })
    case "enable endpoint":
      return did(done(cast, "editEndpoint", { ...whose, enabled: true }, app.owner))
    case "remove endpoint":
      return did(done(cast, "removeEndpoint", whose, app.owner))
    case "rotate secret":
      return Effect.gen(function* () {
        const now = yield* cast.world.now
        if ((yield* done(cast, "rotateSecret", whose, app.owner)) !== undefined) endpoint.rotatedAt = now
        return true
      })
    case "test endpoint":
      return did(done(cast, "testEndpoint", whose, app.owner))
    case "recover":
      return Effect.flatMap(cast.world.now, (now) =>
        did(done(cast, "recover", { ...whose, since: now - step.agoMs }, app.owner))
      )
  }
}

const ofPurpose = (cast: Cast, app: Company, step: Extract<DeveloperStep, { readonly purpose: number }>): Took =>
  Effect.gen(function* () {
    const purpose = at(app.purposes, step.purpose)
    if (purpose === undefined) return false
    const whose = { appId: app.id, purposeId: purpose.id }
    switch (step.do) {
      case "edit purpose": {
        const scopes = step.terms.scopes.map(long)
        yield* done(cast, "editPurpose", { ...whose, ...step.terms, scopes }, app.owner)
        return true
      }
      case "submit purpose":
        yield* done(cast, "submitPurpose", whose, app.owner)
        return true
      case "archive purpose":
        yield* done(cast, "archivePurpose", whose, app.owner)
        return true
      case "decide purpose":
        yield* done(cast, "decidePurpose", { purposeId: purpose.id, decision: step.decision }, STAFF)
        return true
    }
  })

const ofApp = (
  cast: Cast,
  app: Company,
  step: Extract<Exclude<DeveloperStep, { readonly purpose: number }>, { readonly app: number }>
): Took => {
  const { id: appId, owner } = app
  const did = <A>(work: Effect.Effect<A>) => Effect.as(work, true)
  switch (step.do) {
    case "endpoint":
      return Effect.gen(function* () {
        const url = address(cast, app, step.url)
        if (url.startsWith("https://hooks.")) cast.world.receivers.script(url, 200)
        const made = yield* done(cast, "createEndpoint", { appId, url, events: step.events }, owner)
        if (made !== undefined) cast.endpoints.push({ id: made.endpointId, url, app, rotatedAt: undefined })
        return true
      })
    case "look":
      return Effect.zipRight(
        done(cast, "readEndpoints", { appId }, owner),
        did(done(cast, "readDeliveries", { appId }, owner))
      )
    case "redeliver":
    case "retry now":
      return Effect.gen(function* () {
        const log = yield* done(cast, "readDeliveries", { appId }, owner)
        const row = log && chosen(log.deliveries, step)
        if (row === undefined) return false
        const args = { appId, deliveryId: row.deliveryId }
        yield* step.do === "redeliver" ? done(cast, "redeliver", args, owner) : done(cast, "retryNow", args, owner)
        return true
      })
    case "new secret": {
      const redirectUris = [`https://${appId.replace("_", "-")}.example/callback`]
      return did(done(cast, "registerRedirectUris", { appId, redirectUris }, owner))
    }
    case "submit app":
      return did(done(cast, "submitApp", { appId }, owner))
    case "declare":
      return did(done(cast, "declareScopes", { appId, scopes: but(step.without) }, owner))
    case "new purpose":
      return Effect.gen(function* () {
        const { key, terms } = step
        const scopes = terms.scopes.map(long)
        const made = yield* done(cast, "createPurpose", { appId, key, ...terms, scopes }, owner)
        if (made !== undefined) app.purposes.push({ id: made.purposeId, key, scopes })
        return true
      })
    case "decide app":
      return did(done(cast, "decideApp", { appId, decision: step.decision }, STAFF))
    case "narrow app":
      return did(done(cast, "narrowApp", { appId, scopes: but(step.without) }, STAFF))
    case "revoke app":
      return did(done(cast, "revokeApp", { appId }, STAFF))
  }
}

const but = (without: ReadonlyArray<ShortScope>): ReadonlyArray<string> =>
  SCOPES.filter((scope) => !without.includes(scope)).map(long)

const address = (cast: Cast, app: Company, url: Extract<DeveloperStep, { readonly do: "endpoint" }>["url"]): string => {
  const own = cast.endpoints.filter((endpoint) => endpoint.app === app)
  const fresh = `https://hooks.example/${app.id}/${cast.endpoints.length}`
  switch (url) {
    case "new":
      return fresh
    case "same":
      return own[0]?.url ?? fresh
    case "http":
      return fresh.replace("https:", "http:")
    case "private":
      return "https://private.example/hook"
  }
}

type Rows = Operation<"readDeliveries">["value"]["deliveries"]

const chosen = (
  rows: Rows,
  { delivery, state }: Extract<DeveloperStep, { readonly delivery: number }>
): Rows[number] | undefined => {
  const wanted = state === null ? rows : rows.filter((row) => row.state === state)
  return at(wanted.length > 0 ? wanted : rows, delivery)
}
