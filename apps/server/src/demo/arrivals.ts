import { Words } from "@place-access/domain/shared"
import type { Rule } from "@place-access/domain/rules"
import { Effect, Option, Schedule, Schema } from "effect"
import type { DemoReceiver, Received } from "./Receiver.js"
import { TourStopped } from "./Visitor.js"

const Typed = Schema.parseJson(Schema.Struct({ type: Schema.String }))

const typeOf = ({ body }: Received): string | undefined =>
  Option.getOrUndefined(Schema.decodeUnknownOption(Typed)(body))?.type

const PATIENCE_S = 10
const PAUSE_MILLIS = 50

/** Waits until a webhook for each firing in `fired` has arrived. The tour stops when one is missing after 10 s. */
export const arrivals = (
  receiver: DemoReceiver,
  fired: ReadonlyArray<Rule.RuleType>
): Effect.Effect<void, TourStopped> =>
  Effect.suspend(() => {
    const left = receiver.received.map(typeOf)
    const missing = fired
      .map((type) => `place.${type}`)
      .filter((type) => {
        const index = left.indexOf(type)
        if (index >= 0) left.splice(index, 1)
        return index < 0
      })
    return missing.length === 0 ? Effect.void : new TourStopped({ message: absent(missing) })
  }).pipe(Effect.retry({ schedule: Schedule.spaced(PAUSE_MILLIS), times: (PATIENCE_S * 1_000) / PAUSE_MILLIS }))

const absent = (types: ReadonlyArray<string>): string =>
  `${Words.count(types.length, "webhook")} did not arrive within ${PATIENCE_S} s: ${types.join(", ")}`
