import { Effect } from "effect"
import { at, type Cast, type Company, done, type Took } from "./Cast.js"
import type { Deed } from "./Plan.js"

type ListenerStep = Extract<Deed, { readonly do: "listen" | "stop listening" | "end listening session" }>

const NOTHING = Effect.succeed(false)

/** The IP address of the developers' machines, from the network that RFC 5737 reserves for documentation. */
const DESK = "192.0.2.250"

/** Performs a step of a developer who gets events on their own machine. */
export const act = (cast: Cast, step: ListenerStep): Took => {
  if (step.do === "listen") {
    const app = at(cast.apps, step.app)
    return app === undefined ? NOTHING : Effect.as(listen(cast, app, step), true)
  }
  const listener = at(cast.listeners, step.listener)
  if (listener === undefined) return NOTHING
  const { app, cookie, id } = listener
  return Effect.as(
    step.do === "stop listening"
      ? done(cast, "stopListening", { listenerId: id }, app.owner)
      : done(cast, "signOut", { cookie }, app.owner),
    true
  )
}

/**
 * Signs the app's owner in and opens the stream, as the command `listen` does. The owner of the sandbox app is also a
 * person of the run, and may have changed the password.
 */
const listen = (cast: Cast, app: Company, step: Extract<ListenerStep, { readonly do: "listen" }>) =>
  Effect.gen(function* () {
    const password = cast.people.find(({ id }) => id === app.ownerId)?.password ?? 0
    const signedIn = yield* done(cast, "signIn", { userId: app.ownerId, password, address: DESK }, app.owner)
    if (signedIn === undefined) return
    const own = cast.endpoints.filter((one) => one.app === app)
    const endpointId = step.endpoint === null ? null : (at(own, step.endpoint)?.id ?? null)
    const args = { appId: app.id, cookie: signedIn.cookie, endpointId, events: step.events, forMs: step.forMs }
    const opened = yield* done(cast, "listen", args, app.owner)
    if (opened !== undefined) cast.listeners.push({ id: opened.listenerId, app, cookie: signedIn.cookie })
  })
