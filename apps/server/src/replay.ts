import { CannotStart, Program } from "@place-access/worker"
import { Console, type Effect, Either } from "effect"
import { parse, type ReplayCommand, USAGE } from "./replay/options.js"
import { replay } from "./replay/run.js"

Program.run(
  Either.match(parse(process.argv.slice(2)), {
    onLeft: (problem) => new CannotStart({ fault: "usage", message: `${problem} Try: npm run replay -- --help` }),
    onRight: (command: ReplayCommand): Effect.Effect<void, CannotStart> =>
      command._tag === "Help" ? Console.log(USAGE) : replay(command.options)
  }),
  { mustFinish: true }
)
