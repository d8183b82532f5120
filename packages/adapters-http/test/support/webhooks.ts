import type { App } from "@place-access/domain/apps"
import type { Event } from "@place-access/domain/events"
import { Entropy, EventId, Timestamp } from "@place-access/domain/shared"
import { fanOutAll, deliverDue, MemoryDatabase, MemoryWebhookSender, RuleSamples } from "@place-access/domain/testing"
import { Effect } from "effect"
import type { Person, World } from "./World.js"

export const LABEL = "The secret garden"

const scriptFor = (world: World, url: string) => (behaviour: MemoryWebhookSender.Behaviour) =>
  world.run(Effect.flatMap(MemoryWebhookSender.Receivers, (receivers) => receivers.script(url, behaviour)))

/** A developer's app with two endpoints, and a user whose rule can fire. */
export const stage = async (
  world: World,
  { developer: given, overrides }: { readonly developer?: Person; readonly overrides?: Partial<App.App> } = {}
) => {
  const developer = given ?? (await world.person())
  const { app } = await world.app(developer, overrides)
  const base = `/v1/developer/apps/${app.id}`
  // The tests share one service, so a test may also send waiting deliveries of other tests' apps. Each app therefore
  // has an address of its own.
  const url = `https://hooks.example.com/${app.id}`
  const register = async (url: string, events: ReadonlyArray<string>) =>
    ((await developer.send("POST", `${base}/webhooks`, { url, events })).json as { readonly id: string }).id
  const endpoints = [await register(url, []), await register(`${url}/2`, ["places.changed"])] as const
  const { connection, place, rule } = await world.run(
    Effect.gen(function* () {
      const made = yield* RuleSamples.sharing()
      const tables = yield* MemoryDatabase
      const moved = { ...made.connection, appId: app.id }
      tables.connections.set(moved.id, moved)
      return { ...made, connection: moved, rule: yield* RuleSamples.rule(moved, RuleSamples.onPlace(made.place)) }
    })
  )
  const fire = (type: Event.RuleFired["type"] = "place.enter", overrides: Partial<Event.OutboxEvent> = {}) =>
    world.run(
      Effect.gen(function* () {
        const { events } = yield* MemoryDatabase
        const now = yield* Timestamp.now
        const event: Event.OutboxEvent = {
          userId: rule.userId,
          id: EventId.make(yield* Entropy.id("evt")),
          connectionId: connection.id,
          appId: app.id,
          payload: { type, ruleId: rule.id, target: { placeId: place.id, label: LABEL } },
          occurredAt: now,
          webhookUrl: null,
          maxEventAgeS: null,
          ...overrides
        }
        events.set(event.id, { ...event, fanOutDueAt: now, fannedOutAt: null })
        yield* fanOutAll(100)
        return event
      })
    )
  const work = () => world.run(deliverDue({ limit: 100, perEndpoint: 100 }))
  return {
    developer,
    app,
    base,
    connection,
    endpoints,
    fire,
    rule,
    work,
    script: scriptFor(world, url),
    log: `${base}/deliveries`
  }
}
