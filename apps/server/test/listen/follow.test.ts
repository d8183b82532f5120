import { it } from "@effect/vitest"
import type { CannotStart } from "@place-access/worker"
import { type Console, Effect, Fiber, Stream, TestClock } from "effect"
import { describe, expect } from "vitest"
import { follow } from "../../src/listen/follow.js"
import type { ListenMessage } from "../../src/listen/Messages.js"
import { Lost, StreamRefused } from "../../src/listen/Service.js"

const HEARTBEAT_S = 15

const ready = (secret: string | null = "whsec_one"): ListenMessage => ({
  _tag: "Ready",
  data: { endpoint_id: "ep_1", secret, heartbeat_s: HEARTBEAT_S }
})

const cut = new Lost({ why: "the connection was cut" })
const full = new StreamRefused({ why: "the app has enough listeners" })

/** A stream with these messages, which then fails with `error`. */
const connection = (error: Lost | StreamRefused | CannotStart, ...messages: ReadonlyArray<ListenMessage>) =>
  Stream.concat(Stream.fromIterable(messages), Stream.fail(error))

/** A connection that stays open after these messages. */
const open = (...messages: ReadonlyArray<ListenMessage>) => Stream.concat(Stream.fromIterable(messages), Stream.never)

type Connection = ReturnType<typeof connection> | ReturnType<typeof open>

/**
 * Follows these connections, one after the other; the last one is repeated. Returns after `seconds` what was printed,
 * without the times of the lines, and the error with which the command ended, if it ended.
 */
const following = (connections: readonly [Connection, ...ReadonlyArray<Connection>], seconds: number) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const unsafe: Console.UnsafeConsole = {
      ...console,
      log: (line: string) => void lines.push(line.replace(/^\d\d:\d\d:\d\d /, ""))
    }
    const own: Console.Console = {
      ...(yield* Effect.console),
      log: (line: string) => Effect.sync(() => unsafe.log(line)),
      unsafe
    }
    let next = 0
    const events = Stream.suspend(() => connections[Math.min(next++, connections.length - 1)] ?? connections[0])
    const fiber = yield* follow(events, { begun: ({ secret }) => `Begun: ${secret}`, pass: () => Effect.void }).pipe(
      Effect.flip,
      Effect.withConsole(own),
      Effect.fork
    )
    for (let second = 0; second < seconds; second++) yield* TestClock.adjust("1 second")
    const exit = yield* Fiber.poll(fiber)
    const end = exit._tag === "Some" && exit.value._tag === "Success" ? exit.value.value.message : undefined
    yield* Fiber.interrupt(fiber)
    return { lines, end }
  })

const again = (lines: ReadonlyArray<string>) => lines.includes("Listening again.")

describe("a connection that was lost", () => {
  it.effect("is made again, also when the service refuses it for as long as the lost one counts [listeners-3]", () =>
    Effect.gen(function* () {
      const refused = [full, full, full, full, full].map((error) => connection(error))
      const { end, lines } = yield* following([connection(cut, ready()), ...refused, open(ready())], 120)
      expect([end, again(lines)]).toEqual([undefined, true])
      expect(lines).toContain(
        "Not connected: the app has enough listeners. Events that happen now are not forwarded. Next try in 2 seconds."
      )
    })
  )

  it.effect("and is refused for longer than it counts: the command ends with the service's reason", () =>
    Effect.gen(function* () {
      const { end, lines } = yield* following([connection(cut, ready()), connection(full)], 120)
      expect([end, again(lines)]).toEqual(["The service says: the app has enough listeners.", false])
    })
  )

  it.effect("counts from its own loss on: tries that reach no service give a refusal no further time", () =>
    Effect.gen(function* () {
      const unreached = Array.from({ length: 6 }, () => connection(cut))
      const { end, lines } = yield* following([connection(cut, ready()), ...unreached, connection(full)], 100)
      expect(end).toBe("The service says: the app has enough listeners.")
      expect(lines.filter((line) => line.startsWith("Not connected: the app has"))).toEqual([])
    })
  )

  it.effect("a first connection that is refused ends the command at once", () =>
    Effect.gen(function* () {
      const { end, lines } = yield* following([connection(full), open(ready())], 1)
      expect([end, lines]).toEqual(["The service says: the app has enough listeners.", []])
    })
  )
})

describe("the secret of a connection that is made again [listeners-2]", () => {
  it.effect("is shown when it has changed since it was last shown, and otherwise not", () =>
    Effect.gen(function* () {
      const secrets = ["whsec_one", "whsec_one", "whsec_two", "whsec_two"]
      const { lines } = yield* following(
        [connection(cut, ready(secrets[0])), ...secrets.slice(1).map((one) => connection(cut, ready(one))), open()],
        30
      )
      expect(lines.filter((line) => !line.startsWith("Not connected"))).toEqual([
        "Begun: whsec_one",
        "Listening again.",
        "Listening again. The signing secret is new: whsec_two",
        "Listening again."
      ])
    })
  )
})
