import { MemoryVault } from "@place-access/domain/testing"
import { SharedClock } from "@place-access/worker"
import { Effect, Option } from "effect"
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Check from "../../src/doctor/Check.js"
import * as clock from "../../src/doctor/clock.js"
import { database } from "../../src/doctor/database.js"
import * as disk from "../../src/doctor/disk.js"
import { mail, passkeys } from "../../src/doctor/reach.js"
import { adviceFor, summary } from "../../src/operator/keys.js"

describe("what the doctor says [settings-1]", () => {
  it("a clock that is off, at the edges", () => {
    const states = [0, 1_999, -1_999, 2_000, -29_999, 30_000, -40_000].map((off) => clock.judged("it", off).state)
    expect(states).toEqual(["ok", "ok", "ok", "warning", "warning", "problem", "problem"])
  })

  it("a clock with which this machine's processes do no work is a problem, at the edges", () => {
    const findings = [0, 1_999, -2_000, 10_000, -10_000, 10_000.1, -10_001].map(clock.judgedByDatabase)
    expect(findings.map(({ state }) => state)).toEqual([
      "ok",
      "ok",
      "warning",
      "warning",
      "warning",
      "problem",
      "problem"
    ])
    expect(findings[6]?.advice).toContain("do no work")
    // The doctor must report a problem at the same limit at which servers and workers stop their work.
    const works = [10_000, -10_000, 10_000.1, -10_001].map((off) => SharedClock.judge(off, 0).isRight)
    expect(works).toEqual([true, true, false, false])
  })

  it.each([
    ["http://localhost:8080", "127.0.0.1", "ok", "messages are shown at /dev/mailbox"],
    ["http://localhost:8080", "0.0.0.0", "warning", "/dev/mailbox is off, because other machines reach HOST 0.0.0.0"],
    ["https://access.example.com", "127.0.0.1", "warning", "nobody is mailed"]
  ])("without a mail server, for %s on %s: %s, %s", async (baseUrl, host, state, says) => {
    const addresses = { baseUrl, authUrl: baseUrl, userPortalUrl: baseUrl }
    expect(await Effect.runPromise(mail({ addresses, host, mail: null }))).toMatchObject({
      check: "mail",
      state,
      says: expect.stringContaining(says)
    })
  })

  it.each([
    ["https://example.com", "https://auth.example.com", "https://example.com/portal", []],
    ["https://access.example.com", "https://auth.example.com", "https://access.example.com", ["AUTH_URL"]],
    ["https://example.com", "https://notexample.com", "https://my.example.org", ["AUTH_URL", "USER_PORTAL_URL"]],
    ["http://127.0.0.1:8080", "http://localhost:8080", "http://127.0.0.1:8080/portal", []]
  ])(
    "passkeys of %s: a warning names the settings with another host [factors-3]",
    (baseUrl, authUrl, portal, named) => {
      const found = passkeys({ addresses: { baseUrl, authUrl, userPortalUrl: portal } })
      expect(found.map(({ check, state }) => [check, state])).toEqual(named.map((name) => [name, "warning"]))
    }
  )

  it("a disk that is full, at the edges", () => {
    const states = [0, 199, 200, 2_047, 2_048].map((free) => disk.judged(free, "./data").state)
    expect(states).toEqual(["problem", "problem", "warning", "warning", "ok"])
  })

  it("the disk of a folder that is not there yet is that of the nearest folder around it", async () => {
    const around = await Effect.runPromise(disk.disk("/tmp"))
    for (const missing of ["/tmp/nothing-is-here-yet", "/tmp/nothing-is-here-yet/places/data"]) {
      expect(await Effect.runPromise(disk.disk(missing))).toMatchObject({
        state: around.state,
        says: expect.stringContaining("MiB are free")
      })
    }
  })

  it("a disk below a file cannot be looked at, which is a problem", async () => {
    expect(await Effect.runPromise(disk.disk("/dev/null/data"))).toMatchObject({
      state: "problem",
      says: "/dev/null/data cannot be looked at"
    })
  })

  it("each warning and problem says what to do, in lines that a person reads", () => {
    const findings = [Check.ok("mail", "fine"), Check.problem("disk", "full", "Make room.")]
    expect(Check.lines(findings)).toEqual(["ok      mail: fine", "PROBLEM disk: full", "        Make room."])
  })
})

describe("the doctor before the first start [settings-1]", () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "place-access-doctor-"))
  })
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

  const found = (dataDir: string) => Effect.runPromise(database({ _tag: "Embedded", dataDir, keys: Option.none() }))

  it("says that there is no database yet, and makes neither database nor keys nor folder", async () => {
    for (const dataDir of [folder, join(folder, "missing")]) {
      expect(await found(dataDir)).toEqual([
        Check.warning(
          "database",
          `${dataDir} has no database yet`,
          "The first start makes it. If the service ran before, DATA_DIR is the wrong folder."
        )
      ])
    }
    expect(await readdir(folder)).toEqual([])
  })

  it("says that the first start will refuse the folder of other programs, and leaves the folder as it is", async () => {
    await chmod(folder, 0o755)
    await writeFile(join(folder, "notes.txt"), "")
    expect(await found(folder)).toMatchObject([
      { check: "database", state: "problem", says: expect.stringContaining("holds other files") }
    ])
    expect([(await stat(folder)).mode & 0o777, await readdir(folder)]).toEqual([0o755, ["notes.txt"]])
  })
})

describe("the status of the keys [settings-1]", () => {
  const status = (used: Parameters<typeof summary>[0]) =>
    Effect.runSync(Effect.provide(summary(used), MemoryVault.layerKeys(["k3", "k2", "k1"])))

  it("an older key may go when nothing needs it, and a key that is needed and not given must come back", () => {
    const keys = status([
      { keyId: "k3", where: "endpoints.secrets", count: 2 },
      { keyId: "k1", where: "endpoints.secrets", count: 1 },
      { keyId: "k1", where: "rules.own_secret", count: 4 },
      { keyId: "k0", where: "mail_outbox.link_secret", count: 1 }
    ])
    expect(keys.map(({ count, id, state }) => [id, state, count])).toEqual([
      ["k3", "current", 2],
      ["k2", "older", 0],
      ["k1", "older", 5],
      ["k0", "absent", 1]
    ])
    const advice = keys.map((key) => adviceFor(key)?.slice(0, 12) ?? null)
    expect(advice).toEqual([null, "It can go: n", "It must stay", "Put the key "])
  })

  it("says how the use of an older key ends", () => {
    const adviceOn = (...columns: ReadonlyArray<string>) => {
      const [, older] = status(columns.map((where) => ({ keyId: "k2", where, count: 1 })))
      return older === undefined ? null : adviceFor(older)
    }
    const [again, week, start] = [
      "keys reencrypt encrypts",
      "deleted within a week",
      "The server or worker that started last"
    ]
    expect(adviceOn("export_pieces.sealed", "code_apps.secret")).toContain(again)
    expect(adviceOn("idempotent_answers.sealed", "export_pieces.sealed")).toContain(week)
    expect(adviceOn("endpoints.secrets", "key_canaries.sealed")).toContain(start)
  })
})
