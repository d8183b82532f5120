import type { Simulation } from "@place-access/domain/testing"
import { Clock, Console, Effect, type Scope } from "effect"

/** Milliseconds between two lines of progress. */
const EVERY_MILLIS = 5_000
const DAY_MILLIS = 86_400_000

/** Counts the runs so far. `add` counts one run, and prints the totals at most every `EVERY_MILLIS`. */
export interface RunTally {
  readonly add: (result: Simulation.PlanResult) => Effect.Effect<void>
  readonly summary: Effect.Effect<string>
  /** How many runs broke a rule or could not be run. */
  readonly broken: () => number
}

/** Prints what a search is doing while one step of the search takes long, such as a run over a database. */
export interface StepWatch {
  /** Names the step that begins now. */
  readonly begin: (step: string) => Effect.Effect<void>
}

/** Makes a watch that prints the step, again and again, when the step has not ended after `everyMillis`. */
export const watchSteps = (everyMillis: number = EVERY_MILLIS): Effect.Effect<StepWatch, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    let current = { step: "", startedAt: clock.unsafeCurrentTimeMillis() }
    const look = Effect.gen(function* () {
      const before = current
      yield* Effect.sleep(everyMillis)
      if (current !== before || before.step === "") return
      const seconds = Math.round((clock.unsafeCurrentTimeMillis() - before.startedAt) / 1_000)
      yield* Console.error(`${before.step} · ${seconds} s`)
    })
    yield* Effect.forkScoped(Effect.forever(look))
    return {
      begin: (step) =>
        Effect.sync(() => {
          current = { step, startedAt: clock.unsafeCurrentTimeMillis() }
        })
    }
  })

/** Makes a tally. `reached` returns words that are added to each line; "" adds none. */
export const tally = (reached: () => string): Effect.Effect<RunTally> =>
  Effect.map(Clock.currentTimeMillis, (startedAt) => {
    let [runs, steps, virtualMs, violations, broken, thrown, saidAt] = [0, 0, 0, 0, 0, 0, startedAt]
    const summary = Effect.map(Clock.currentTimeMillis, (now) => {
      const seconds = Math.max(0.001, (now - startedAt) / 1_000)
      const days = Math.round(virtualMs / DAY_MILLIS)
      return [
        `${runs} ${runs === 1 ? "run" : "runs"}`,
        `${Math.round(steps / seconds)} steps/s`,
        `${days} virtual ${days === 1 ? "day" : "days"}`,
        violations === 0 ? "no rule broken" : `rules broken ${violations} times`,
        ...(thrown === 0 ? [] : [`${thrown} ${thrown === 1 ? "run" : "runs"} could not be run`]),
        `${seconds.toFixed(1)} s`,
        ...[reached()].filter((words) => words !== "")
      ].join(" · ")
    })
    return {
      add: (result) =>
        Effect.gen(function* () {
          runs++
          steps += result.steps
          virtualMs += result.virtualMs
          // A run that threw has no trace, so no oracle has judged it.
          if (result.entries.length === 0) thrown++
          else violations += result.violations.length
          if (result.violations.length > 0) broken++
          const now = yield* Clock.currentTimeMillis
          if (now - saidAt < EVERY_MILLIS) return
          saidAt = now
          yield* Console.log(`${yield* summary} · seed ${result.seed}`)
        }),
      summary,
      broken: () => broken
    }
  })
