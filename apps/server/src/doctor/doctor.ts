import { Account } from "@place-access/domain/accounts"
import { CannotStart, ConfigReport, Logging, Misspelt } from "@place-access/worker"
import { Console, Effect, Either, Option } from "effect"
import { send } from "../operator/socket.js"
import * as ServerSettings from "../ServerSettings.js"
import * as Check from "./Check.js"
import { database } from "./database.js"
import { disk } from "./disk.js"
import { baseUrl, mail, passkeys, proxy } from "./reach.js"

/**
 * Checks what a server needs, changes nothing, and prints what to do. Fails when there is a problem, so that the exit
 * code is 1.
 */
export const doctor = (json: boolean): Effect.Effect<void, CannotStart> =>
  Effect.gen(function* () {
    const read = yield* Effect.either(ConfigReport.read(ServerSettings.config))
    const rest = Either.isLeft(read)
      ? [Check.problem("settings", read.left.message, "Correct them; npm start -- help lists all settings.")]
      : yield* Effect.provide(examine(read.right), Logging.layer(read.right.logging, json ? "stderr" : "stdout"))
    const findings = [...misspelt(), ...rest]
    const problems = findings.filter(({ state }) => state === "problem").length
    yield* Console.log(json ? JSON.stringify({ findings }) : Check.lines(findings).join("\n"))
    if (problems > 0) return yield* new CannotStart({ message: `The doctor found ${problems} to mend.` })
  })

const misspelt = (): ReadonlyArray<Check.Finding> =>
  Misspelt.found(process.env, ServerSettings.all).map((one) =>
    Check.warning("settings", Misspelt.sentence(one), `Set ${one.meant}, or remove ${one.given}.`)
  )

const examine = (settings: ServerSettings.ServerSettings) =>
  Effect.gen(function* () {
    const { storage } = settings
    return [
      Check.ok("settings", "they can be read"),
      ...(storage._tag === "Embedded" ? [yield* disk(storage.dataDir)] : []),
      ...(yield* stored(storage)),
      yield* mail(settings),
      ...proxy(settings),
      ...passkeys(settings),
      ...(yield* baseUrl(settings))
    ]
  })

/**
 * Checks the database, but not an embedded database that a running server uses: that server checked it at its start,
 * and no second process can open it.
 */
const stored = (storage: ServerSettings.ServerSettings["storage"]) =>
  Effect.gen(function* () {
    if (storage._tag === "Embedded" && (yield* isServed(storage.dataDir))) {
      return [
        Check.ok("database", "the running server uses it"),
        Check.ok("migrations", "the running server applied them"),
        Check.ok("keys", "the running server opened the canary with them")
      ]
    }
    return yield* database(storage)
  })

/**
 * Whether a server answers on the folder's socket. The question is about an account that cannot exist, so a refusal
 * also counts as an answer.
 */
const isServed = (dataDir: string) =>
  Effect.match(send(dataDir, { _tag: "Show", account: Account.Email.make("nobody@doctor.invalid") }), {
    onFailure: () => true,
    onSuccess: Option.isSome
  })
