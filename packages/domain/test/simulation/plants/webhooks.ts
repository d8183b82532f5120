import { WebhookSender } from "@place-access/domain/endpoints"
import { EndpointStore } from "@place-access/domain/endpoints"
import { EventStore } from "@place-access/domain/deliveries"
import { Effect, flow } from "effect"
import { instead, type Plant, readingAhead, readingNothingAhead } from "./plant.js"
import { FAR, HOME, HOUR, inScene, type Scene } from "./scene.js"

/** Deliberate bugs (plants) in the choice of the endpoints that get an event. */

const fire = ({ rule, walk }: Scene) => Effect.zipRight(rule(), walk(FAR, HOME))

type Url = Parameters<(typeof WebhookSender.Service)["post"]>[0]

export const plants: ReadonlyArray<Plant> = [
  {
    oracle: "H1",
    what: "a retry is sent with the signature of the first attempt",
    sabotage: instead(WebhookSender, (sender) => {
      const signed = new Map<string, Parameters<typeof sender.post>[1]>()
      return {
        post: (url, headers, body) => {
          const first = signed.get(body) ?? headers
          signed.set(body, first)
          return sender.post(url, first, body)
        }
      }
    }),
    scenario: inScene((scene) => Effect.zipRight(scene.hook.script([500, 200]), fire(scene)))
  },
  {
    oracle: "H2",
    what: "bodies have the coordinates",
    sabotage: instead(WebhookSender, (sender) => ({
      post: (url, headers, body) => sender.post(url, headers, `${body.slice(0, -1)},"lat":50,"lon":10}`)
    })),
    scenario: inScene(fire)
  },
  {
    oracle: "H3",
    what: "each endpoint gets an event under an id of its own",
    sabotage: instead(WebhookSender, (sender) => ({
      post: (url, headers, text) => {
        const { endpoint_id, event_id, ...rest } = JSON.parse(text) as Readonly<Record<string, unknown>>
        const own = `${event_id}${String(endpoint_id).slice(-4)}`
        return sender.post(url, headers, JSON.stringify({ event_id: own, endpoint_id, ...rest }))
      }
    })),
    scenario: inScene((scene) => Effect.zipRight(scene.app.endpoint("second"), fire(scene)))
  },
  {
    oracle: "H4",
    what: "the subscriptions of an endpoint are forgotten",
    sabotage: readingAhead(({ endpoints, ...rest }) => ({
      ...rest,
      endpoints: endpoints.map((endpoint) => ({ ...endpoint, events: [] }))
    })),
    scenario: inScene((scene) =>
      Effect.zipRight(scene.app.endpoint("second", { events: ["places.changed"] }), fire(scene))
    )
  },
  {
    oracle: "H5",
    what: "the check of what may be sent runs once and is remembered",
    sabotage: flow(
      instead(EventStore, (store) => {
        const first = new Map<string, Effect.Effect.Success<ReturnType<typeof store.authorisation>>>()
        return {
          authorisation: (userId, connectionId, ruleId) =>
            Effect.gen(function* () {
              const key = `${connectionId} ${ruleId}`
              const found = first.get(key) ?? (yield* store.authorisation(userId, connectionId, ruleId))
              first.set(key, found)
              return found
            })
        }
      }),
      readingNothingAhead
    ),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        yield* scene.hook.script([500, 200])
        yield* fire(scene)
        yield* scene.world.settle
        yield* scene.ana.disconnect(scene.connection)
        yield* scene.world.advance(HOUR)
      })
    )
  },
  {
    oracle: "H5",
    what: "what is read ahead of an event says that its rule is there",
    sabotage: flow(
      // The rule is removed after the event was stored and before the worker reads it.
      instead(EventStore, (store) => ({ pending: (...args) => Effect.delay(store.pending(...args), 40) })),
      readingAhead(({ authorisation, ...rest }) => ({ ...rest, authorisation: { ...authorisation, ruleStands: true } }))
    ),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        const ruleId = yield* scene.rule()
        yield* scene.walk(FAR, HOME)
        yield* scene.connection.call({ endpoint: "DELETE /v1/rules/place/{id}", ruleId })
        yield* scene.world.advance(HOUR)
      })
    ),
    isRare: "a rule must be removed in the 40 ms before its event is read"
  },
  {
    oracle: "H5",
    what: "the check of what may be sent gives the answer of the previous check",
    sabotage: instead(EventStore, (store) => {
      let before: ReturnType<typeof store.authorisation> | undefined
      return {
        authorisation: (...args) =>
          Effect.suspend(() => {
            const own = store.authorisation(...args)
            const answer = before ?? own
            before = own
            return answer
          })
      }
    }),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        const [first] = [yield* scene.rule(), yield* scene.rule()]
        yield* scene.hook.script([500, 500, 200])
        yield* scene.walk(FAR, HOME)
        yield* scene.world.settle
        yield* scene.connection.call({ endpoint: "DELETE /v1/rules/place/{id}", ruleId: first })
        yield* scene.world.advance(HOUR)
      })
    )
  },
  {
    oracle: "H6",
    what: "the list shows a sixth endpoint",
    sabotage: instead(EndpointStore, (store) => ({
      create: (...made) => Effect.as(store.create(...made), "created" as const)
    })),
    scenario: inScene(({ app }) =>
      Effect.zipRight(
        Effect.forEach(["2", "3", "4", "5"], (name) => app.endpoint(name)),
        Effect.ignore(app.endpoint("6"))
      )
    )
  },
  {
    oracle: "H7",
    what: "redirects are followed",
    sabotage: instead(WebhookSender, (sender) => ({
      post: (url, headers, body) =>
        Effect.flatMap(sender.post(url, headers, body), (answer) =>
          answer._tag === "Answered" && answer.status === 302
            ? sender.post("https://elsewhere.example/" as Url, headers, body)
            : Effect.succeed(answer)
        )
    })),
    scenario: inScene((scene) => Effect.zipRight(scene.hook.script([{ status: 302 }, 200]), fire(scene)))
  }
]
