import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { mkdtemp, rm, rmdir, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "vitest"
import { shortCommandOf } from "../support/commandOf.js"
import { freePort } from "../support/freePort.js"
import { until } from "../support/until.js"

const start = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, [...shortCommandOf("demo"), ...args], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"]
  })
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")])
  return { child, ended: ended.then(([stdout, stderr, [code]]) => ({ stdout, stderr, code: code as number | null })) }
}

describe("npm run demo", () => {
  it("goes from a sign-up to three verified webhooks, whatever service the environment names", async () => {
    const environment = {
      PORT: String(await freePort()),
      DATABASE_URL: "postgres://nobody@127.0.0.1:9/nothing",
      BASE_URL: "http://127.0.0.1:9",
      SIGN_UP: "closed"
    }
    const { code, stderr, stdout } = await start(["--exit", "--pace", "0"], environment).ended
    expect([code, stderr]).toEqual([0, ""])
    const webhooks = Array.from(stdout.matchAll(/webhook: (\S+) at Corner café, [\d:]+\. The signature is (.*)\./g))
    expect(webhooks.map(([, type, signature]) => [type, signature])).toEqual([
      ["place.enter", "genuine"],
      ["place.dwell", "genuine"],
      ["place.exit", "genuine"]
    ])
    expect(stdout).toContain("121 readings, 1 sent twice, 0 set aside as impossible")
    expect(stdout).toContain("Umbrella got 3 webhooks, 3 of them genuine")
    for (const event of ["arrived at", "stayed at", "left"]) expect(stdout).toContain(`${event} Corner café`)
  })

  it("replays a log of 40 days: neither the connection nor the session stops it", async () => {
    const START = Date.UTC(2026, 0, 15, 10) / 1_000
    const row = (seconds: number, lat: number) => `${START + seconds},${START + seconds},${lat},13.38,10,1,1,40`
    const HOME = 52.47
    // A phone that sends one reading a day, each from another spot. On the first day and on the last, it also stays at
    // home.
    const stay = [12, 14, 16, 18, 20, 22, 24, 26].map((minutes) => minutes * 60)
    const rows = Array.from({ length: 40 }, (_, day) => day * 86_400).flatMap((midnight, day) => [
      row(midnight, HOME + 0.02 * (day + 1)),
      ...(day === 0 || day === 39
        ? [...stay.map((seconds) => row(midnight + seconds, HOME)), row(midnight + 1_800, HOME - 0.02)]
        : [])
    ])
    const folder = await mkdtemp(join(tmpdir(), "place-access-"))
    const trace = join(folder, "log.csv")
    const columns = "capture_ts,write_ts,latitude,longitude,accuracy_m,speed_mps,bearing_deg,altitude_m"
    await writeFile(trace, [columns, ...rows].join("\n"))
    const { code, stderr, stdout } = await start(["--exit", "--pace", "0", "--trace", trace], {
      PORT: String(await freePort())
    }).ended
    await rm(folder, { recursive: true })
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).toContain("Umbrella got 6 webhooks, 6 of them genuine")
    expect(stdout.match(/webhook place\.exit: left Corner café/g)).toHaveLength(2)
  })

  it("leaves the server running for a user who wants to look around, and nothing behind when it is stopped", async () => {
    // A separate folder for temporary files, because other demos may run at the same time.
    const TMPDIR = await mkdtemp(join(tmpdir(), "place-access-"))
    const port = await freePort()
    const { child, ended } = start(["--pace", "0"], { PORT: String(port), TMPDIR })
    let seen = ""
    child.stdout.on("data", (chunk: Buffer) => (seen += chunk.toString("utf8")))
    const [, email, password] = await until(
      "the sign-in of the demo's account",
      () => /Sign in with\s+(\S+)\s+and the password\s+(\S+)/.exec(seen) ?? undefined
    )
    const answer = await fetch(`http://localhost:${port}/v1/session`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: `http://localhost:${port}` },
      body: JSON.stringify({ email, password })
    })
    expect(answer.status).toBeLessThan(300)
    expect(readdirSync(TMPDIR)).toHaveLength(1)
    child.kill("SIGINT")
    expect((await ended).code).toBe(0)
    expect(readdirSync(TMPDIR)).toEqual([])
    await rmdir(TMPDIR)
  })

  it("says what is wrong with a log or an argument", async () => {
    const missing = await start(["--trace", "/no/such/log.csv"], {}).ended
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("/no/such/log.csv cannot be replayed")])
    const argument = await start(["--speed", "9"], {}).ended
    expect([argument.code, argument.stderr]).toEqual([64, "Unknown option '--speed'. Try: npm run demo -- --help\n"])
  })
})
