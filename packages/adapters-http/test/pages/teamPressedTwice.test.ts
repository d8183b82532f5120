import { Account } from "@place-access/domain/accounts"
import { Timestamp } from "@place-access/domain/shared"
import { acceptInvitation, inviteMember, type ListedTeam, readTeam, type Role } from "@place-access/domain/teams"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { mailTo } from "../support/mailbox.js"
import { hidden, type Visitor } from "../support/visitor.js"
import type { Answer } from "../support/wire.js"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const where = ({ headers, status }: Answer) => [status, headers.get("location")]

/** An app with a holder, another owner and a viewer, and the browser of each of them. */
const team = async () => {
  const people = { holder: await world.person(), owner: await world.person(), viewer: await world.person() }
  const { app } = await world.app(people.holder)
  const read = (): Promise<ListedTeam> => world.run(readTeam(people.holder.account, app.id))
  const join = async ({ account }: Person, role: Role.TeamRole) => {
    const { id } = await world.run(inviteMember(people.holder.account, app.id, { email: account.email, role }))
    await world.run(acceptInvitation(account, "confirmed", { appId: app.id, id }))
    const { members } = await read()
    return members.find(({ email }) => email === account.email)?.id ?? ""
  }
  return {
    app,
    people,
    members: { owner: await join(people.owner, "owner"), viewer: await join(people.viewer, "viewer") },
    path: `/developer/apps/${app.id}/team`,
    read,
    browserOf: (who: keyof typeof people) => signedIn(world, people[who].account.email)
  }
}

/** Presses the button of the form at `action` twice. */
const pressTwice = async (browser: Visitor, path: string, action: string, fields = {}) => {
  const page = await browser.get(path)
  return [where(await browser.submit(page, action, fields)), where(await browser.submit(page, action, fields))]
}

describe("a button of the team page that is pressed twice does not end on an error page [teams-3]", () => {
  it("the removal of a member: both presses say that the member was removed", async () => {
    const { browserOf, members, path } = await team()
    const done = [303, `${path}?done=team-member-removed`]
    const action = `${path}/members/${members.viewer}/remove`
    expect(await pressTwice(await browserOf("holder"), path, action)).toEqual([done, done])
  })

  it("the withdrawal of an invitation: both presses say that it was withdrawn", async () => {
    const { app, browserOf, path, people } = await team()
    const invited = { email: Account.Email.make("new@example.com"), role: "viewer" } as const
    const { id } = await world.run(inviteMember(people.holder.account, app.id, invited))
    const done = [303, `${path}?done=team-withdrawn`]
    expect(await pressTwice(await browserOf("owner"), path, `${path}/invitations/${id}/withdraw`)).toEqual([done, done])
  })

  it("the hand-over: the second press leads to the team, which shows the new holder; it hands nothing over", async () => {
    const { browserOf, members, path, read } = await team()
    const action = `${path}/members/${members.owner}/hand-over`
    const presses = await pressTwice(await browserOf("holder"), path, action)
    expect(presses).toEqual([
      [303, `${path}?done=team-handed-over`],
      [303, path]
    ])
    const after = await read()
    expect([after.isHolder, after.role, after.members.length]).toEqual([false, "owner", 3])
  })

  it("an owner's own new role: both presses say that it was changed; they cannot change it, or another, any more", async () => {
    const { browserOf, members, path, read } = await team()
    const browser = await browserOf("owner")
    const page = await browser.get(path)
    const save = async (member: string, role: string) => {
      const action = `${path}/members/${member}/role`
      return where(await browser.submit(page, action, { role }))
    }
    const done = [303, `${path}?done=team-role-changed`]
    expect([await save(members.owner, "viewer"), await save(members.owner, "viewer")]).toEqual([done, done])
    expect([await save(members.owner, "developer"), await save(members.viewer, "viewer")]).toEqual([
      [403, null],
      [403, null]
    ])
    expect((await read()).members.map(({ role }) => role)).toEqual(["owner", "viewer", "viewer"])
  })

  it("leaving: the second press leads to the list of apps, and says nothing about an app of strangers", async () => {
    const { browserOf, path } = await team()
    expect(await pressTwice(await browserOf("viewer"), path, `${path}/leave`)).toEqual([
      [303, "/developer?done=team-left"],
      [303, "/developer"]
    ])
    const none = "/developer/apps/app_none/team/leave"
    const stranger = await signedIn(world, (await world.person()).account.email)
    const fields = hidden(await stranger.get("/developer"), "/sign-out")
    for (const action of [`${path}/leave`, none]) {
      expect(where(await stranger.post(action, fields))).toEqual([303, "/developer"])
    }
  })

  it("an owner leaves with one button: their own row has no second one [teams-3]", async () => {
    const { browserOf, members, path } = await team()
    const { text } = await (await browserOf("owner")).get(path)
    expect([
      text.includes(`/members/${members.owner}/remove`),
      text.includes(`/members/${members.viewer}/remove`)
    ]).toEqual([false, true])
    expect(text).toContain(`action="${path}/leave"`)
    // Somebody who has left the team needs a new invitation to come back. So the button must be folded away, where
    // nobody presses it by mistake.
    const folded = [...text.matchAll(/<details>[\s\S]*?<\/details>/g)].map(([all]) => all)
    expect(folded.filter((one) => one.includes(`action="${path}/leave"`))).toHaveLength(1)
  })

  it("an invitation: it is mailed once, and both presses say so; another role, or a minute later, it is refused [teams-2]", async () => {
    const { browserOf, path } = await team()
    const invitee = await world.person()
    const browser = await browserOf("owner")
    const page = await browser.get(path)
    const invite = (role: string) => browser.submit(page, `${path}/invitations`, { email: invitee.account.email, role })
    const done = [303, `${path}?done=team-invited`]
    expect([where(await invite("viewer")), where(await invite("viewer"))]).toEqual([done, done])
    expect(await mailTo(world, invitee.account.email)).toHaveLength(1)
    expect((await invite("owner")).status).toBe(400)
    const holder = await browserOf("holder")
    const fields = { email: invitee.account.email, role: "viewer" }
    expect((await holder.submit(await holder.get(path), `${path}/invitations`, fields)).status).toBe(400)
    world.clock.advance(Timestamp.MINUTE)
    expect((await invite("viewer")).status).toBe(400)
  })
})

describe("a button of the team page without the right to it [teams-1]", () => {
  it("in somebody else's app: 404; of a viewer: 403", async () => {
    const { app, browserOf, members, path, people } = await team()
    const invited = { email: Account.Email.make("new@example.com"), role: "viewer" } as const
    const { id } = await world.run(inviteMember(people.holder.account, app.id, invited))
    const actions = [
      `members/${members.owner}/remove`,
      `members/${members.owner}/hand-over`,
      `invitations/${id}/withdraw`,
      "invitations"
    ]
    const viewer = await browserOf("viewer")
    const stranger = await signedIn(world, (await world.person()).account.email)
    for (const [browser, status] of [
      [viewer, 403],
      [stranger, 404]
    ] as const) {
      const fields = { ...hidden(await browser.get("/developer"), "/sign-out"), email: "a@example.com", role: "viewer" }
      for (const action of actions) {
        expect([action, (await browser.post(`${path}/${action}`, fields)).status]).toEqual([action, status])
      }
    }
  })
})
