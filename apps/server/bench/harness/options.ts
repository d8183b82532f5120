import { resolve } from "node:path"
import { parseArgs } from "node:util"
import type { Row } from "./Row.js"

export interface Options {
  readonly help: boolean
  /** The names of the benchmarks to run; undefined: all benchmarks that are not `onlyByName`. */
  readonly only: ReadonlyArray<string> | undefined
  readonly peers: boolean
  readonly rounds: number
  /** The file to which the results are also written, as JSON; undefined: no file. */
  readonly json: string | undefined
  /** The folder for profiles of the product's programs; undefined: no profiles are made. */
  readonly profile: string | undefined
  /** A commit whose programs are measured beside the programs of this clone; undefined: no other commit. */
  readonly compare: string | undefined
  /** Whether the results go into `docs/performance-log.md`. */
  readonly log: boolean
}

const ROUNDS_MIN = 3
const ROUNDS_MAX = 50

/** Returns the options, or a sentence that says what is wrong with the arguments. */
export const parse = (args: ReadonlyArray<string>, names: ReadonlyArray<string>): Options | string => {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        help: { type: "boolean", short: "h", default: false },
        only: { type: "string", multiple: true },
        peers: { type: "boolean", default: false },
        rounds: { type: "string", default: String(ROUNDS_MIN) },
        json: { type: "string" },
        profile: { type: "string" },
        compare: { type: "string" },
        log: { type: "boolean", default: false }
      }
    })
    const only = values.only?.flatMap((list) => list.split(","))
    if (only?.some((name) => !names.includes(name)) === true) {
      return `--only names a row that there is not. The rows are: ${names.join(", ")}.`
    }
    const rounds = Number(values.rounds)
    if (!Number.isInteger(rounds) || rounds < ROUNDS_MIN || rounds > ROUNDS_MAX) {
      return `--rounds is a whole number from ${ROUNDS_MIN} to ${ROUNDS_MAX}: a median of fewer says nothing.`
    }
    if (values.profile !== undefined && (values.log || values.compare !== undefined)) {
      return "--profile slows the programs down: leave out --log and --compare."
    }
    return {
      help: values.help,
      only,
      peers: values.peers,
      rounds,
      json: values.json,
      profile: values.profile && resolve(values.profile),
      compare: values.compare,
      log: values.log
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The benchmarks to run: those that `--only` names, or, without `--only`, all benchmarks without `onlyByName`. */
export const chosen = <R extends Pick<Row, "name" | "onlyByName">>(
  rows: ReadonlyArray<R>,
  { only }: Pick<Options, "only">
): ReadonlyArray<R> => rows.filter(({ name, onlyByName }) => only?.includes(name) ?? onlyByName !== true)

export const help = (rows: ReadonlyArray<Omit<Row, "open">>) =>
  `npm run bench -- [--only NAME[,NAME]] [--rounds N] [--peers] [--compare REF] [--log] [--json FILE] [--profile FOLDER]

Measures paths of the built product against baselines that do the same work, in alternating rounds, and prints the medians.
It needs PostgreSQL at BENCH_DATABASE_URL (postgres://postgres@127.0.0.1:5432/postgres) where databases may be made, and pgbench.

  --only NAME   these rows only
  --rounds N    rounds of each side, ${ROUNDS_MIN} to ${ROUNDS_MAX}; ${ROUNDS_MIN} without it
  --peers       installs other programs that do the same and measures them, too
  --compare REF builds the programs of another commit in a folder of its own, and measures them in the same rounds; with
                it a row takes about twice as long
  --log         adds the results to docs/performance-log.md, with the date, the commit and the machine
  --json FILE   writes every round's figures
  --profile FOLDER
                writes a CPU profile of each program of the product there, for the developer tools of a browser, and
                says where its time went; the figures are not those of a program that is left alone

Rows, with about how long each takes:
${lines(rows.filter((row) => row.onlyByName !== true))}

Rows that are measured only when --only names them:
${lines(rows.filter((row) => row.onlyByName === true))}`

const lines = (rows: ReadonlyArray<Omit<Row, "open">>): string =>
  rows.map(({ name, path, seconds }) => `  ${name.padEnd(14)} ${String(seconds).padStart(4)} s  ${path}`).join("\n")
