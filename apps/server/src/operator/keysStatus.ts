import { KeyUsage } from "@place-access/adapters-pg"
import { Words } from "@place-access/domain/shared"
import { CannotStart } from "@place-access/worker"
import { Effect } from "effect"
import { adviceFor, type KeyStatus, summary } from "./keys.js"
import type { Output } from "./AccountCommand.js"

/**
 * Reports which keys the service has, how many values each key seals, and which keys may be removed. Writes nothing.
 */
export const keysStatus = Effect.gen(function* () {
  const keys = yield* summary(yield* KeyUsage.count())
  const output: Output = { line: { keys: keys.map(asJson) }, sentences: keys.flatMap(sentences) }
  return output
}).pipe(
  Effect.catchTags({
    SqlError: () => new CannotStart({ message: "The database cannot be read. Try npm start -- doctor" }),
    ParseError: () => new CannotStart({ message: "The database cannot be read. Try npm start -- doctor" })
  })
)

const asJson = (key: KeyStatus) => ({ ...key, may_go: key.state === "older" && key.count === 0 })

const STATES: Readonly<Record<KeyStatus["state"], string>> = {
  current: "the current key, which seals new values",
  older: "an older key",
  absent: "NOT GIVEN"
}

const sentences = (key: KeyStatus): ReadonlyArray<string> => {
  const advice = adviceFor(key)
  return [
    `${key.id}: ${STATES[key.state]}; ${Words.count(key.count, "value needs", "values need")} it`,
    ...key.uses.map(({ count, where }) => `  ${where}: ${count}`),
    ...(advice === null ? [] : [`  ${advice}`])
  ]
}
