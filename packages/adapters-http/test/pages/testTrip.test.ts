import { afterAll, beforeAll, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

it("a trip is answered with a redirect, so that reloading its result sends no second trip [test-people-4]", async () => {
  const owner = await world.person()
  const { app } = await world.app(owner)
  const browser = await signedIn(world, owner.account.email)
  const path = `/developer/apps/${app.id}/test-people`
  const draft = { name: "Alex", lat: "52.5", lon: "13.4", scopes: "location.place.current" }
  await browser.submit(await browser.get(path), path, draft)
  const list = await browser.get(path)
  const id = /<li class="card" id="(\w+)"/.exec(list.text)?.[1] ?? ""
  const place = /<option value="(plc_\w+)"/.exec(list.text)?.[1] ?? ""
  world.clock.advance(1_000)
  const trip = { trip: "stay", place, minutes: "30", late_minutes: "0", accuracy_m: "10" }
  const sent = await browser.submit(list, `${path}/${id}/trips`, trip)
  const result = sent.headers.get("location") ?? ""
  expect([sent.status, new URL(result, world.url).pathname]).toEqual([303, path])
  for (let loads = 0; loads < 2; loads++) {
    expect((await browser.get(result)).text).toContain("The phone sent 32 readings.")
  }
  for (const query of ["", "?readings=x&stored=1&began=2026-03-01T12:00:00Z", "?readings=1&stored=1&began=soon"]) {
    expect((await browser.get(path + query)).text).not.toContain("The phone sent")
  }
})
