import { type CannotStart, ConfigReport, Settings } from "@place-access/worker"
import { Config, type Effect, Either } from "effect"
import { FASTEST } from "./Mover.js"

/** The request that `npm run clock` sends to the server. */
export interface ClockCommand {
  readonly path: "/dev/clock" | "/dev/snapshot"
  /** The JSON body of the request; null: the command only reads the clock. */
  readonly body: Readonly<Record<string, string | number>> | null
  /** Whether to print one line of JSON instead of sentences. */
  readonly json: boolean
}

export const USAGE = `Moves the clock of a test world (npm start -- --clock virtual).

  npm run clock                               show the clock
  npm run clock -- advance 14d                move it by a span of time: ms, s, m, h, d and w, also 23h35m
  npm run clock -- to 2026-03-01T12:00:00Z    move it to a moment
  npm run clock -- rate 60                    let it run, 60 times as fast as real time; 0 stops it
  npm run clock -- save NAME                  save a snapshot of the world
  npm run clock -- restore NAME               go back to a snapshot, and stop a running clock
      --json                                  print one line of JSON

The world is the one at BASE_URL, or else at PORT of this machine.
`

/** The address of the server with the test world: BASE_URL, or this machine at PORT. */
export const worldAddress: Effect.Effect<string, CannotStart> = ConfigReport.read(
  Config.map(Settings.addresses, ({ baseUrl }) => baseUrl)
)

const VERBS: ReadonlySet<string> = new Set(["advance", "to", "rate", "save", "restore"])

/**
 * Parses a command line. A Left says what is wrong. The result "help" means that the command line asks for the usage.
 */
export const parse = (argv: ReadonlyArray<string>): Either.Either<ClockCommand | "help", string> => {
  if (argv.includes("--help") || argv.includes("-h")) return Either.right("help")
  const json = argv.includes("--json")
  const [verb, value, ...more] = argv.filter((word) => word !== "--json")
  if (verb === undefined) return Either.right({ path: "/dev/clock", body: null, json })
  if (!VERBS.has(verb)) return Either.left("The commands are advance, to, rate, save and restore.")
  if (value === undefined || more.length > 0) return Either.left(`After ${verb} comes exactly one value.`)
  switch (verb) {
    case "advance":
    case "to":
      return Either.right({ path: "/dev/clock", body: { [verb]: value }, json })
    case "rate":
      return /^\d+(?:\.\d+)?$/.test(value)
        ? Either.right({ path: "/dev/clock", body: { rate: Number(value) }, json })
        : Either.left(`rate takes a number from 0 to ${FASTEST}.`)
    default:
      return Either.right({ path: "/dev/snapshot", body: { [verb]: value }, json })
  }
}

/** Says what has not been done, when the server refuses a command. */
export const failureOf = ({ body, path }: ClockCommand): string => {
  if (path === "/dev/clock") return body === null ? "The clock was not read" : "The clock was not moved"
  return body !== null && "save" in body ? "The snapshot was not saved" : "The snapshot was not restored"
}
