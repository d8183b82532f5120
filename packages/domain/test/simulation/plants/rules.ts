import {
  FixStore,
  type SettledCommit,
  type StoredUpload,
  UploadEvaluation,
  type UploadCommit,
  type UploadView
} from "@place-access/domain/fixes"
import { type LiveRule, RuleEvaluation } from "@place-access/domain/rules"
import { EventId, Timestamp } from "@place-access/domain/shared"
import { Array as Arr, Effect } from "effect"
import { instead, type Plant } from "./plant.js"
import { FAR, HOME, HOUR, inScene, MINUTE, north, SECOND } from "./scene.js"

/** Deliberate bugs (plants) in the firings of rules. */

/** Plants a bug in `FixStore.view`: an upload gets a view that `change` has falsified. */
export const seeing = (
  change: (
    view: UploadView,
    now: number,
    fixes: ReadonlyArray<{ readonly capturedAt: number }>,
    userId: string
  ) => Partial<UploadView>
) =>
  instead(FixStore, (store) => ({
    view: (userId, sent, now) =>
      Effect.map(store.view(userId, sent, now), (view) => ({
        ...view,
        ...change(
          view,
          now,
          sent.flatMap((one) => one.fixes),
          userId
        )
      }))
  }))

export const eachRule = (change: (rule: LiveRule.LiveRule, now: number) => LiveRule.LiveRule) =>
  seeing(({ rules }, now) => ({ rules: rules.map((rule) => change(rule, now)) }))

export const withState = (live: LiveRule.LiveRule, over: Partial<RuleEvaluation.RuleMemory>): LiveRule.LiveRule => ({
  ...live,
  state: { ...RuleEvaluation.on(live.basis, live.state), ...over }
})

/** Plants a bug that changes what an upload commits. `change` gets the rules that the upload evaluated. */
const committing = (change: {
  readonly upload?: (upload: StoredUpload, rules: ReadonlyArray<LiveRule.LiveRule>) => StoredUpload
  readonly states?: (states: UploadCommit["states"], rules: ReadonlyArray<LiveRule.LiveRule>) => UploadCommit["states"]
}) =>
  instead(FixStore, (store) => {
    const seen = new Map<string, ReadonlyArray<LiveRule.LiveRule>>()
    return {
      view: (userId, sent, now) =>
        Effect.tap(store.view(userId, sent, now), ({ rules }) => Effect.sync(() => void seen.set(userId, rules))),
      commit: (commit) => {
        const rules = seen.get(commit.userId) ?? []
        return store.commit({
          ...commit,
          uploads: Arr.map(commit.uploads, (upload) => change.upload?.(upload, rules) ?? upload),
          states: change.states?.(commit.states, rules) ?? commit.states
        })
      }
    }
  })

let planted = 0

const withWorkers = (change: (settled: SettledCommit) => Partial<SettledCommit>) =>
  instead(FixStore, (store) => ({
    commitSettled: (settled) => store.commitSettled({ ...settled, ...change(settled) })
  }))
/** A scenario for rules with `silence_s`: Ana comes home, and then her phone sends nothing for an hour. */
const staysAndSleeps = inScene(({ rule, walk, world }) =>
  rule("dwell", { silenceS: 600 }).pipe(Effect.zipRight(walk(FAR, HOME)), Effect.zipRight(world.advance(HOUR)))
)
/** A scenario for rules with `settle_s`: Ana comes home, and then her phone sends nothing for an hour. */
const arrivesAndSleeps = inScene(({ rule, walk, world }) =>
  rule("enter", { settleS: 120 }).pipe(Effect.zipRight(walk(FAR, HOME)), Effect.zipRight(world.advance(HOUR)))
)

/** Plants a bug: an upload also stores the events that it would have caused if it had arrived at another time. */
export const firingsAsOf = (arrival: (upload: StoredUpload) => Timestamp.Timestamp) =>
  committing({ upload: (upload, rules) => withFirings(upload, rules, arrival(upload)) })

const withFirings = (
  upload: StoredUpload,
  rules: ReadonlyArray<LiveRule.LiveRule>,
  arrival: Timestamp.Timestamp
): StoredUpload => {
  const carried = upload.fixes.filter((fix) => !upload.leftBehind.has(fix))
  const { firings } = UploadEvaluation.evaluate(rules, carried, arrival)
  const missed = firings.filter(
    ({ at, rule }) =>
      !upload.events.some(
        ({ occurredAt, payload }) => occurredAt === at && "ruleId" in payload && payload.ruleId === rule.id
      )
  )
  const events = missed.map((firing) => ({
    userId: firing.rule.userId,
    id: EventId.make(`evt_planted${++planted}`),
    connectionId: firing.rule.connectionId,
    appId: firing.rule.appId,
    payload: UploadEvaluation.payload(firing),
    occurredAt: firing.at,
    webhookUrl: firing.rule.webhookUrl,
    maxEventAgeS: firing.rule.maxEventAgeS
  }))
  return { ...upload, events: [...upload.events, ...events] }
}

export const plants: ReadonlyArray<Plant> = [
  {
    oracle: "R1",
    what: "a rule that has seen no fix assumes that the user is outside",
    sabotage: eachRule((live) => (live.state.side === null ? withState(live, { side: "outside" }) : live)),
    scenario: inScene(({ rule, walk }) => Effect.zipRight(rule(), walk(HOME)))
  },
  {
    oracle: "R2",
    what: "a rule forgets between uploads that the user is inside",
    sabotage: eachRule((live) => (live.state.side === "inside" ? withState(live, { side: "outside" }) : live)),
    scenario: inScene(({ rule, walk }) => Effect.zipRight(rule(), walk(FAR, HOME, HOME, HOME, HOME)))
  },
  {
    oracle: "R3",
    what: "circles are taken 150 m wider than they are",
    sabotage: eachRule((live) => ({ ...live, circle: { ...live.circle, radiusM: live.circle.radiusM + 150 } })),
    scenario: inScene(({ rule, walk }) => Effect.zipRight(rule(), walk(FAR, north(190))))
  },
  {
    oracle: "R4",
    what: "a rule does not keep the time when it last fired",
    sabotage: eachRule((live) => withState(live, { lastFiredAt: null })),
    scenario: inScene(({ phone, rule, walk, world }) =>
      Effect.gen(function* () {
        yield* rule()
        yield* walk(FAR, HOME)
        yield* world.advance(60 * SECOND)
        yield* phone.fix(FAR)
        yield* world.advance(59_999)
        yield* phone.fix(HOME)
      })
    )
  },
  {
    oracle: "R5",
    what: "nothing checks the age of a fix",
    sabotage: firingsAsOf(({ fixes, receivedAt }) => fixes.at(-1)?.capturedAt ?? receivedAt),
    scenario: inScene(({ phone, rule, walk, world }) =>
      Effect.gen(function* () {
        yield* rule()
        yield* walk(FAR)
        yield* phone.offline
        yield* walk(HOME)
        yield* world.advance(15 * MINUTE + 1)
        yield* phone.online()
        // The planted bug stored the event without a signal to the workers, so a worker finds the event only at its
        // next poll.
        yield* world.advance(HOUR)
      })
    )
  },
  {
    oracle: "R6",
    what: "dwell fires after half of its minutes",
    sabotage: eachRule((live) => {
      const { dwellMinutes } = live.rule
      return { ...live, rule: { ...live.rule, dwellMinutes: dwellMinutes === null ? null : dwellMinutes / 2 } }
    }),
    scenario: inScene(({ rule, walk }) => Effect.zipRight(rule("dwell"), walk(HOME, HOME, HOME, HOME, HOME, HOME)))
  },
  {
    oracle: "R7",
    what: "uploads are evaluated against rules that were removed",
    sabotage: (() => {
      const sabotage = () => {
        const seen = new Map<string, LiveRule.LiveRule>()
        return seeing(({ rules }, _now, _fixes, userId) => {
          for (const live of rules) seen.set(live.rule.id, live)
          const there = new Set(rules.map(({ rule }) => rule.id))
          const gone = [...seen.values()].filter(({ rule }) => !there.has(rule.id) && rule.userId === userId)
          return { rules: [...rules, ...gone] }
        })
      }
      return (ports) => sabotage()(ports)
    })(),
    scenario: inScene(({ ana, connection, rule, walk, world }) =>
      Effect.gen(function* () {
        const removed = yield* rule()
        yield* walk(FAR, FAR)
        yield* ana.removeRule(connection, removed)
        yield* walk(HOME)
        yield* world.advance(HOUR)
      })
    )
  },
  {
    oracle: "R8",
    what: "the service forgets which fixes came before",
    sabotage: seeing(() => ({ known: new Map() })),
    scenario: inScene(({ phone, walk, world }) =>
      Effect.gen(function* () {
        yield* walk(FAR)
        const capturedAt = yield* world.now
        yield* phone.fix({ ...HOME, capturedAt })
        yield* phone.fix({ ...HOME, capturedAt })
      })
    )
  },
  {
    oracle: "R9",
    what: "only the newest fix of an upload is evaluated",
    sabotage: seeing(({ rules }, _, fixes) => {
      const last = fixes.at(-1)
      if (fixes.length < 2 || last === undefined) return {}
      return { rules: rules.map((live) => withState(live, { asOf: Timestamp.make(last.capturedAt - 1) })) }
    }),
    scenario: inScene(({ phone, rule, world }) =>
      Effect.gen(function* () {
        yield* rule()
        yield* world.advance(HOUR)
        const now = yield* world.now
        const at = (point: typeof HOME, capturedAt: number) => ({ ...point, capturedAt, accuracyM: 10 })
        yield* phone.upload([at(HOME, now), at(FAR, now - MINUTE)])
      })
    )
  },
  {
    oracle: "R10",
    what: "events of exits are lost",
    sabotage: committing({
      upload: (one) => ({ ...one, events: one.events.filter(({ payload }) => !payload.type.endsWith(".exit")) })
    }),
    scenario: inScene(({ rule, walk }) => Effect.zipRight(rule("exit"), walk(HOME, FAR)))
  },
  {
    oracle: "R10",
    what: "crossings that wait fire although they are contradicted",
    sabotage: eachRule((live) => ({ ...live, rule: { ...live.rule, settleS: null } })),
    scenario: inScene(({ rule, walk }) => Effect.zipRight(rule("enter", { settleS: 120 }), walk(FAR, HOME, FAR, FAR)))
  },
  {
    oracle: "R10",
    what: "a crossing settles before its time",
    sabotage: eachRule((live, now) => {
      const { unsettled } = live.state
      return unsettled === null || now < unsettled.at + 30 * SECOND
        ? live
        : withState(live, { unsettled: { ...unsettled, until: Timestamp.make(now) } })
    }),
    scenario: inScene(({ rule, walk }) => Effect.zipRight(rule("exit", { settleS: 300 }), walk(HOME, FAR, HOME)))
  },
  {
    oracle: "R13",
    what: "no worker looks for crossings whose wait is over",
    sabotage: instead(FixStore, () => ({ settling: () => Effect.succeed([]) })),
    scenario: arrivesAndSleeps
  },
  {
    oracle: "R13",
    what: "the events of crossings that settled are lost",
    sabotage: withWorkers(() => ({ events: [] })),
    scenario: arrivesAndSleeps
  },
  {
    oracle: "R13",
    what: "a crossing that settled fires twice",
    sabotage: withWorkers(({ events }) => ({
      events: events.flatMap((event) => [event, { ...event, id: EventId.make(`evt_twice${++planted}`) }])
    })),
    scenario: arrivesAndSleeps
  },
  {
    oracle: "R13",
    what: "a crossing fires for the time at which it settled",
    sabotage: withWorkers(({ events, now }) => ({ events: events.map((event) => ({ ...event, occurredAt: now })) })),
    scenario: arrivesAndSleeps
  },
  {
    oracle: "R13",
    what: "crossings settle ten minutes after their time",
    sabotage: instead(FixStore, (store) => ({
      settling: (buckets, now, limit) => store.settling(buckets, Timestamp.make(now - 10 * MINUTE), limit)
    })),
    scenario: arrivesAndSleeps
  },
  {
    oracle: "R14",
    what: "no worker looks for stays whose silence is over",
    sabotage: instead(FixStore, () => ({ settling: () => Effect.succeed([]) })),
    scenario: staysAndSleeps
  },
  {
    oracle: "R14",
    what: "a stay fires twice when silence fires it",
    sabotage: withWorkers(({ events }) => ({
      events: events.flatMap((event) => [event, { ...event, id: EventId.make(`evt_twice${++planted}`) }])
    })),
    scenario: staysAndSleeps
  },
  {
    oracle: "R6",
    what: "silence fires a stay for the time at which the silence ended",
    sabotage: withWorkers(({ events, now }) => ({ events: events.map((event) => ({ ...event, occurredAt: now })) })),
    scenario: staysAndSleeps
  },
  {
    oracle: "R14",
    what: "silence fires a stay as soon as its minutes are over",
    sabotage: eachRule((live) => {
      const { unsettled } = live.state
      return live.rule.type !== "dwell" || unsettled === null
        ? live
        : withState(live, { unsettled: { ...unsettled, until: unsettled.at } })
    }),
    scenario: inScene(({ rule, walk, world }) =>
      Effect.gen(function* () {
        yield* rule("dwell", { silenceS: 600 })
        yield* walk(FAR, HOME)
        yield* world.advance(6 * MINUTE)
        yield* walk(north(190))
        yield* world.advance(HOUR)
      })
    )
  },
  {
    oracle: "R10",
    what: "a reading from outside does not end the wait for silence",
    sabotage: committing({
      states: (states, rules) =>
        states.map((one) => {
          const before = rules.find(({ rule }) => rule.id === one.ruleId)
          return before?.rule.type === "dwell" && one.state.side === "outside"
            ? { ...one, state: { ...one.state, unsettled: before.state.unsettled } }
            : one
        })
    }),
    scenario: inScene(({ rule, walk, world }) =>
      Effect.gen(function* () {
        yield* rule("dwell", { silenceS: 600 })
        yield* walk(FAR, HOME, FAR)
        yield* world.advance(HOUR)
        yield* walk(FAR)
      })
    )
  },
  {
    oracle: "R11",
    what: "nothing checks when a rule was made",
    sabotage: eachRule((live) => ({ ...live, firesFrom: Timestamp.make(0) })),
    scenario: inScene(({ phone, rule, walk, world }) =>
      Effect.gen(function* () {
        yield* phone.offline
        yield* walk(FAR, HOME)
        yield* world.advance(MINUTE)
        yield* rule()
        yield* phone.online()
      })
    )
  }
]
