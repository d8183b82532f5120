import { FixStore } from "@place-access/domain/fixes"
import { DeviceId, Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, expect } from "vitest"
import { type Person, startWorld, type World } from "../support/World.js"
import type { Answer } from "../support/wire.js"

export interface Phone {
  readonly id: string
  readonly token: string
  readonly setup: { readonly address: string; readonly settings: ReadonlyArray<{ name: string; value: string }> }
}

/** The position of every phone in the tests. */
export const PLACE = { lat: 52.37, lon: 4.89 }

export const saying = ({ status, text }: Answer) => [status, text]

export const unavailable = (answer: Answer) => {
  expect([answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([503, true])
}

/** A service for the tests of a file, with a new person for each test. */
export const phoneDesk = () => {
  let world: World
  let person: Person
  beforeAll(async () => {
    world = await startWorld()
  })
  beforeEach(async () => {
    person = await world.person()
    world.log.length = 0
  })
  afterAll(() => world.close())

  /** While `send` runs, another upload of the user always commits first, so the phone gets a temporary error. */
  const whileUnavailable = async (send: () => Promise<Answer>): Promise<Answer> => {
    const { streamVersions } = await world.run(MemoryDatabase)
    let version = 0
    streamVersions.get = () => version++
    try {
      return await send()
    } finally {
      Reflect.deleteProperty(streamVersions, "get")
    }
  }

  /**
   * Simulates that the owner removes the phone after the service has authenticated the request of `send` and before it
   * evaluates the readings.
   */
  const whileRemoved = async ({ id }: Pick<Phone, "id">, send: () => Promise<Answer>): Promise<Answer> => {
    const { devices, streamVersions } = await world.run(MemoryDatabase)
    streamVersions.get = () => {
      const device = devices.get(DeviceId.make(id))
      if (device !== undefined) devices.set(device.id, { ...device, removedAt: Timestamp.make(world.clock.now()) })
      return 0
    }
    try {
      return await send()
    } finally {
      Reflect.deleteProperty(streamVersions, "get")
    }
  }

  return {
    get world() {
      return world
    },
    get person() {
      return person
    },
    phone: async (format: string): Promise<Phone> =>
      (await person.send("POST", "/v1/user/devices", { name: "My phone", format })).json as Phone,
    post: (path: string, init: RequestInit, headers: RequestInit["headers"] = {}): Promise<Answer> =>
      world.call(path, { method: "POST", ...init, headers: { ...(init.headers as object), ...(headers as object) } }),
    stored: () => world.run(Effect.flatMap(FixStore, (store) => store.latest(person.account.id, 100))),
    aside: async () =>
      [...(await world.run(MemoryDatabase)).quarantined.values()].filter(({ userId }) => userId === person.account.id),
    visits: async () =>
      [...(await world.run(MemoryDatabase)).visitReports.values()].filter(({ userId }) => userId === person.account.id),
    now: () => world.clock.now(),
    whileRemoved,
    whileUnavailable
  }
}
