import { Account, changeName } from "@place-access/domain/accounts"
import type { App } from "@place-access/domain/apps"
import { MemberId } from "@place-access/domain/shared"
import { acceptInvitation, handOver, inviteMember, readTeam, type Role } from "@place-access/domain/teams"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authorizePath } from "../support/browsing.js"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const named = async (name: string): Promise<Person> => {
  const person = await world.person()
  await world.run(changeName(person.account.id, Account.DisplayName.make(name)))
  return person
}

const join = async (by: Person, app: App.App, person: Person, role: Role.TeamRole) => {
  const { id } = await world.run(inviteMember(by.account, app.id, { email: person.account.email, role }))
  await world.run(acceptInvitation(person.account, "assumed", { appId: app.id, id }))
  // Without this step the members would have joined at the same moment, and the list would have the order of their
  // random ids.
  world.clock.advance(1_000)
}

const readers = async (person: Person, app: App.App, init?: RequestInit): Promise<string | undefined> => {
  const { status, text } = await person.get(authorizePath(app), init)
  expect(status).toBe(200)
  const found = /<p data-readers>([^]*?)<\/p>/.exec(text)?.[1]
  return found
    ?.replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()
}

describe("the consent page of an app that is not in production names who else can read what is shared [teams-6]", () => {
  it("to somebody who was handed the app without being asked: the former holder", async () => {
    const [attacker, victim] = [await named("Mallory & <b>Sons</b>"), await named("Vic")]
    const { app } = await world.app(attacker)
    await join(attacker, app, victim, "owner")
    const team = await world.run(readTeam(attacker.account, app.id))
    const [member] = team.members.flatMap(({ id }) => (id === null ? [] : [id]))
    await world.run(handOver(attacker.account, app.id, member ?? MemberId.make("none")))
    expect(await readers(victim, app)).toBe(
      "Mallory &amp; &lt;b&gt;Sons&lt;/b&gt; also works on this app and can read what you share."
    )
    expect(await readers(victim, app, { headers: { "accept-language": "de" } })).toBe(
      "Mallory &amp; &lt;b&gt;Sons&lt;/b&gt; arbeitet auch an dieser App und kann lesen, was Sie freigeben."
    )
  })

  it("owners and developers, with a link to the team; viewers read nothing that users share", async () => {
    const holder = await named("Holly")
    const { app } = await world.app(holder)
    await join(holder, app, await named("Vera"), "viewer")
    expect(await readers(holder, app)).toBeUndefined()
    await join(holder, app, await named("Ann Smith"), "developer")
    await join(holder, app, await named("Bob"), "owner")
    expect(await readers(holder, app)).toBe("Ann Smith and 1 other also work on this app and can read what you share.")
    await join(holder, app, await named("Cid"), "developer")
    expect(await readers(holder, app)).toBe("Ann Smith and 2 others also work on this app and can read what you share.")
    expect(await readers(holder, app, { headers: { "accept-language": "de" } })).toBe(
      "Ann Smith und 2 weitere Personen arbeiten auch an dieser App und können lesen, was Sie freigeben."
    )
    expect((await holder.get(authorizePath(app))).text).toContain(`href="/developer/apps/${app.id}/team"`)
  })

  it("not of an app in production", async () => {
    const holder = await named("Holly")
    const { app } = await world.app(holder, { status: "production" })
    await join(holder, app, await named("Ann Smith"), "owner")
    expect(await readers(holder, app)).toBeUndefined()
  })
})
