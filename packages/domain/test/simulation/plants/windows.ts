import { RuleStore } from "@place-access/domain/rules"
import { Invalid, Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { instead, type Plant } from "./plant.js"
import { eachRule, seeing } from "./rules.js"
import { FAR, HOME, HOUR, inScene, MINUTE, type Scene } from "./scene.js"

/** Deliberate bugs (plants) in the time windows in which rules are active. */

const FOR_EVER = { from: null, until: null }

/** A rule whose window begins in an hour and lasts an hour. */
const windowed = ({ rule, world }: Scene) =>
  Effect.gen(function* () {
    const now = yield* world.now
    const [activeFrom, activeUntil] = [now + HOUR, now + 2 * HOUR]
    yield* rule("enter", { activeFrom, activeUntil })
    return { activeFrom, activeUntil }
  })

const list = ({ connection }: Scene) => connection.call({ endpoint: "GET /v1/rules/place" })

export const plants: ReadonlyArray<Plant> = [
  {
    oracle: "W1",
    what: "nothing checks windows",
    sabotage: eachRule((live) => ({ ...live, rule: { ...live.rule, window: FOR_EVER } })),
    scenario: inScene((scene) => Effect.zipRight(windowed(scene), scene.walk(FAR, HOME)))
  },
  {
    oracle: "W2",
    what: "no batch is applied to a rule once its window has closed",
    sabotage: seeing(({ rules }, now) => ({
      rules: rules.filter(({ rule: { window } }) => window.until === null || now < window.until)
    })),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        const { activeUntil } = yield* windowed(scene)
        yield* scene.world.advanceTo(activeUntil - 2 * MINUTE)
        yield* scene.phone.fix(FAR)
        yield* scene.phone.offline
        yield* scene.walk(HOME)
        yield* scene.world.advanceTo(activeUntil + MINUTE)
        yield* scene.phone.online()
      })
    )
  },
  {
    oracle: "W3",
    what: "every second list forgets that a window has closed",
    sabotage: (ports) => {
      let lists = 0
      return instead(RuleStore, (store) => ({
        list: (...args) =>
          Effect.map(store.list(...args), (page) => {
            lists++
            if (lists % 2 === 1) return page
            return { ...page, items: page.items.map((rule) => ({ ...rule, window: { ...rule.window, until: null } })) }
          })
      }))(ports)
    },
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        const { activeUntil } = yield* windowed(scene)
        yield* scene.world.advanceTo(activeUntil)
        yield* scene.connection.refresh
        yield* list(scene)
        yield* list(scene)
        yield* list(scene)
      })
    )
  },
  {
    oracle: "W4",
    what: "a window that closes within five minutes is refused as if it had closed",
    sabotage: instead(RuleStore, (store) => ({
      create: (userId, connectionId, decide) =>
        Effect.flatMap(Timestamp.now, (requestedAt) => {
          let isShort = false
          const created = store.create(userId, connectionId, (present, now, places) => {
            const decided = decide(present, now, places)
            const until = decided.rule?.window.until ?? null
            isShort = until !== null && until - requestedAt <= 5 * MINUTE
            return isShort ? { ...decided, rule: null } : decided
          })
          // No real store fails with this error, so the store's type does not allow it. The cast to `never` lets the
          // planted bug fail with it all the same.
          const refused = Effect.fail(Invalid.of("active_until", "must be later") as never)
          return Effect.flatMap(created, (made) => (isShort ? refused : Effect.succeed(made)))
        })
    })),
    scenario: inScene(({ rule, world }) =>
      Effect.flatMap(world.now, (now) => rule("enter", { activeUntil: now + 5 * MINUTE }))
    )
  },
  {
    oracle: "W5",
    what: "a window is compared with the time at which fixes arrive",
    sabotage: eachRule((live, now) => {
      const { from, until } = live.rule.window
      const isOpen = (from === null || from <= now) && (until === null || now < until)
      return isOpen ? { ...live, rule: { ...live.rule, window: FOR_EVER } } : live
    }),
    scenario: inScene((scene) =>
      Effect.gen(function* () {
        const { activeFrom } = yield* windowed(scene)
        yield* scene.world.advanceTo(activeFrom - MINUTE)
        yield* scene.phone.offline
        yield* scene.phone.fix(FAR)
        yield* scene.world.advanceTo(activeFrom + MINUTE)
        yield* scene.phone.online()
        yield* scene.walk(HOME)
      })
    )
  }
]
