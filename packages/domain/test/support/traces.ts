import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { ReferenceFix } from "./referenceRules.js"

/**
 * The folder with logs of real phones. They are outside the repository, because their licence differs. `TRACES_DIR`
 * names another folder.
 */
const DIRECTORY =
  process.env["TRACES_DIR"] ?? fileURLToPath(new URL("../../../../../shared/data/traces", import.meta.url))
const SUFFIX = ".locations.csv"

export const haveTraces = existsSync(DIRECTORY)

/** The text that the title of a skipped test shows. */
export const TRACES_NEEDED = haveTraces ? "" : " (skipped: no logs; set TRACES_DIR to a folder of *.locations.csv)"

/**
 * `receivedAt` is when the phone stored the fix: the earliest time at which the phone could have sent it. In the other
 * fields, -1 means that the value is unknown.
 */
export interface RecordedFix extends ReferenceFix {
  readonly accuracy: number
  readonly speedMps: number
  readonly courseDeg: number
  readonly altitudeM: number
}

export interface Trace {
  readonly name: string
  /** The fixes in the order in which the phone stored them. The capture times are not always in this order. */
  readonly fixes: ReadonlyArray<RecordedFix>
}

/** The logs as files. The list is empty where there are no logs. */
export const traceFiles = (): ReadonlyArray<{ readonly name: string; readonly bytes: Uint8Array }> =>
  haveTraces
    ? readdirSync(DIRECTORY)
        .filter((file) => file.endsWith(SUFFIX))
        .sort()
        .map((name) => ({ name, bytes: readFileSync(`${DIRECTORY}/${name}`) }))
    : []

export const traces = (): ReadonlyArray<Trace> =>
  readdirSync(DIRECTORY)
    .filter((file) => file.endsWith(SUFFIX))
    .sort()
    .map((file) => ({
      name: file.slice(0, -SUFFIX.length),
      fixes: parse(readFileSync(`${DIRECTORY}/${file}`, "utf8"))
    }))

const COLUMNS = [
  "capture_ts",
  "write_ts",
  "latitude",
  "longitude",
  "accuracy_m",
  "speed_mps",
  "bearing_deg",
  "altitude_m"
]

const parse = (csv: string): ReadonlyArray<RecordedFix> => {
  const [header = "", ...lines] = csv.trim().split("\n")
  const indices = COLUMNS.map((column) => header.split(",").indexOf(column))
  if (indices.includes(-1)) throw new Error(`A log without one of the columns ${COLUMNS.join(", ")}`)
  return lines.map((line) => {
    const cells = line.split(",")
    const number = (column: number): number => Number(cells[indices[column] ?? -1])
    return {
      capturedAt: millis(number(0)),
      receivedAt: millis(number(1)),
      lat: number(2),
      lon: number(3),
      accuracy: number(4),
      speedMps: number(5),
      courseDeg: number(6),
      altitudeM: number(7)
    }
  })
}

const millis = (seconds: number): number => Math.trunc(seconds * 1_000)
