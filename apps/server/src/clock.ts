import { CannotStart, Program } from "@place-access/worker"
import { Console, Effect, Either, Schema } from "effect"
import { askWorld } from "./virtual/askWorld.js"
import { failureOf, parse, USAGE, worldAddress } from "./virtual/orders.js"
import { Answer, sentences } from "./virtual/sentences.js"

const Refused = Schema.parseJson(Schema.Struct({ message: Schema.String }))

const clock = Effect.gen(function* () {
  const command = parse(process.argv.slice(2))
  if (Either.isLeft(command)) {
    return yield* new CannotStart({ fault: "usage", message: `${command.left} Try: npm run clock -- --help` })
  }
  if (command.right === "help") return yield* Console.log(USAGE)
  const { body, json, path } = command.right
  const address = yield* worldAddress
  const { isOk, status, text } = yield* askWorld(address, path, body)
  if (!isOk) {
    const refused = Schema.decodeUnknownEither(Refused)(text)
    const reason = Either.isRight(refused) ? refused.right.message : `the server answered ${status}`
    return yield* new CannotStart({
      message: status === 404 ? `The server at ${address} is no test world.` : `${failureOf(command.right)}: ${reason}.`
    })
  }
  yield* Console.log(
    json
      ? text
      : sentences(yield* Effect.mapError(Schema.decodeUnknown(Answer)(text), () => new CannotStart({ message: text })))
  )
})

Program.run(clock, { mustFinish: true })
