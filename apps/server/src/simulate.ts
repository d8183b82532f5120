import { CannotStart, Program } from "@place-access/worker"
import { Console, type Effect, Either } from "effect"
import { type SimulateCommand, parse, USAGE } from "./simulate/options.js"
import { simulate } from "./simulate/run.js"

Program.run(
  Either.match(parse(process.argv.slice(2)), {
    onLeft: (problem) => new CannotStart({ fault: "usage", message: `${problem} Try: npm run simulate -- --help` }),
    onRight: (command: SimulateCommand): Effect.Effect<void, CannotStart> =>
      command._tag === "Help" ? Console.log(USAGE) : simulate(command.options)
  }),
  { mustFinish: true }
)
