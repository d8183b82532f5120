import { randomBytes } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeServers, type TestDatabase } from "../../../packages/adapters-pg/test/support/postgres.js"
import { client } from "./support/client.js"
import { freePort } from "./support/freePort.js"
import { addDevice, signUp } from "./support/people.js"
import { reading } from "./support/phone.js"
import { ready, type Running, useProcesses } from "./support/processes.js"
import { until } from "./support/until.js"

const DRAIN_SECONDS = 2
const HOME = { lat: 52.37, lon: 4.9 }

/** A server, and whether a load balancer sends requests to it. */
interface Target {
  readonly url: string
  readonly running: Running
  isReady: boolean
}

describeServers("a server that gets SIGTERM", ({ migratedDatabase }) => {
  const processes = useProcesses()
  let database: TestDatabase
  let environment: Readonly<Record<string, string>>
  beforeAll(async () => {
    database = await migratedDatabase()
    environment = {
      DATABASE_URL: database.url,
      SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
      LOG_FORMAT: "json",
      DRAIN_SECONDS: String(DRAIN_SECONDS)
    }
  })
  afterAll(() => database?.drop())

  const start = async (): Promise<Target> => {
    const port = await freePort()
    const url = `http://localhost:${port}`
    const running = processes.start("server", { ...environment, PORT: String(port) })
    await ready(running, url)
    return { url, running, isReady: true }
  }

  it("says at /readyz that it is stopping, goes on answering new connections, and then ends with 0", async () => {
    const { running, url } = await start()
    const ended = running.stop("SIGTERM")
    const away = await until("/readyz to say no", async () => {
      const answer = await client(url).call("GET", "/readyz")
      return answer.status === 503 ? answer : undefined
    })
    expect(away.json).toMatchObject({
      error: "unavailable",
      message: "The server is stopping",
      request_id: away.headers.get("x-request-id"),
      doc_url: `${url}/docs/errors/unavailable`
    })
    expect([away.headers.get("connection"), away.headers.get("retry-after")]).toEqual(["close", "1"])
    // A load balancer that has not noticed yet that the server stops may send one more request. The server must answer
    // it.
    const late = await client(url).call("GET", "/v1/me")
    expect([late.status, late.headers.get("connection")]).toEqual([401, "close"])
    expect(await ended).toEqual({ code: 0, signal: null })
  })

  it("at Control-C stops at once: nobody waits for a balancer at a terminal", async () => {
    const { running } = await start()
    expect(await running.stop("SIGINT")).toEqual({ code: 0, signal: null })
    expect(running.output()).not.toContain("/readyz says no")
  })

  it("can be replaced by another under load: no request of a balancer that asks /readyz fails", async () => {
    const targets = [await start(), await start()]
    const token = await addDevice(await signUp(targets[0]?.url ?? "", "rolling"))
    const failures: Array<unknown> = []
    let answered = 0
    const progress = { isOver: false }

    const look = async (): Promise<void> => {
      while (!progress.isOver) {
        for (const target of targets) {
          target.isReady = await fetch(`${target.url}/readyz`)
            .then(async (answer) => (await answer.arrayBuffer(), answer.ok))
            .catch(() => false)
        }
        await pause(50)
      }
    }
    const phone = async (index: number): Promise<void> => {
      for (let turn = index; !progress.isOver; turn++) {
        const able = targets.filter((one) => one.isReady)
        const target = able[turn % able.length]
        if (target === undefined) {
          failures.push("no server is ready")
          await pause(50)
          continue
        }
        try {
          const { status } = await client(target.url).call("POST", "/v1/phone/locations", {
            token,
            json: { locations: [reading(Date.now(), HOME)] }
          })
          if (status === 200) answered++
          else failures.push(status)
        } catch (error) {
          failures.push(error)
        }
        // Without this pause, the phones would take processor time from the servers that are starting.
        await pause(5)
      }
    }
    const all = [look(), ...Array.from({ length: 4 }, (_, index) => phone(index))]
    for (const old of [0, 1]) {
      const before = answered
      await until("uploads to flow", () => answered > before + 20 || undefined)
      const going = targets[old]
      targets.push(await start())
      expect(await going?.running.stop("SIGTERM")).toEqual({ code: 0, signal: null })
    }
    progress.isOver = true
    await Promise.all(all)
    expect(failures).toEqual([])
  })
})
