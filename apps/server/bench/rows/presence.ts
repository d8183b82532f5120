import { fileURLToPath } from "node:url"
import * as Goal from "../harness/Goal.js"
import * as People from "../harness/People.js"
import * as Program from "../harness/Program.js"
import type { Row } from "../harness/Row.js"
import { record } from "../harness/statements.js"
import { asking, FIXES, PEOPLE } from "./asking.js"
import * as PresenceLoad from "./presence.load.js"

const SECONDS = 3
/**
 * The number of rounds before the rounds that count. V8 optimizes the code only after about ten thousand requests. A
 * real service runs for days, so its code is optimized.
 */
const WARM_UP_ROUNDS = 2

export const presence: Row = {
  name: "presence",
  path: "GET /v1/answers/places/…/presence on PostgreSQL",
  seconds: 55,
  open: async (bench) => {
    const scratch = await bench.scratch((empty) => People.seed(empty, { count: PEOPLE, fixes: FIXES }))

    // A second server sends the statements through the recorder. So the measured server can connect to PostgreSQL
    // directly, and the recorder does not slow it.
    const recorder = await record(scratch.url)
    const recorded = await bench.server(scratch, { DATABASE_URL: recorder.url })
    const ask = async (n: number) => {
      const answer = await fetch(`${recorded.url}${PresenceLoad.path(n)}`, {
        headers: { authorization: `Bearer ${People.accessToken(n)}` }
      })
      if (!answer.ok) throw new Error(`presence answered ${answer.status}: ${await answer.text()}`)
      return { body: await answer.text(), headers: Object.fromEntries(answer.headers) }
    }
    // When the server gets the first request with an access token, it also looks up the connection's user, and caches
    // the user. So only the second request sends the statements of a usual request.
    await ask(0)
    const model = { answer: undefined as Awaited<ReturnType<typeof ask>> | undefined }
    const statements = await recorder.during(async () => (model.answer = await ask(0)))
    await recorded.running.stop()
    await recorder.close()

    const product = await bench.server(scratch)
    const port = await Program.freePort()
    const baseline = bench.keep(
      Program.source("bare server", fileURLToPath(new URL("../baselines/presence.ts", import.meta.url)))
    )
    baseline.child.send({ port, databaseUrl: scratch.url, statements, answer: model.answer })
    await Program.answers(baseline, `http://127.0.0.1:${port}/readyz`)

    return [
      {
        product: asking(bench, [product], SECONDS),
        baseline: asking(bench, [{ running: baseline, port }], SECONDS),
        warmUpRounds: WARM_UP_ROUNDS,
        goals: [Goal.throughputRatio(0.7), Goal.p99Ratio(1.3), Goal.peakMB("server", 220)]
      }
    ]
  }
}
