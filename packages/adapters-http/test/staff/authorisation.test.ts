import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const WHO = ["anonymous", "user", "developer", "owner", "reviewer", "admin"] as const
type Who = (typeof WHO)[number]

interface Route {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** The expected status for each caller of `WHO`, in the order of `WHO`. */
  readonly expected: readonly [401, number, number, number, number, number]
}

const APP = "/v1/developer/apps/{app}"
const PURPOSE = `${APP}/purposes/{purpose}`

/** The routes to call, with the status that each caller gets when both the app and its purpose are in review. */
const routes: ReadonlyArray<Route> = [
  { method: "POST", path: `${APP}/submit`, expected: [401, 404, 404, 409, 404, 404] },
  { method: "POST", path: `${APP}/withdraw`, expected: [401, 404, 404, 409, 404, 404] },
  { method: "GET", path: `${APP}/purposes`, expected: [401, 404, 404, 200, 404, 404] },
  {
    method: "PATCH",
    path: PURPOSE,
    body: { expected_daily_volume: 3 },
    expected: [401, 404, 404, 200, 404, 404]
  },
  { method: "POST", path: `${PURPOSE}/submit`, expected: [401, 404, 404, 409, 404, 404] },
  { method: "DELETE", path: PURPOSE, expected: [401, 404, 404, 204, 404, 404] },
  { method: "GET", path: "/v1/user/volume-flags", expected: [401, 200, 200, 200, 200, 200] },
  { method: "GET", path: "/v1/admin/reviews", expected: [401, 403, 403, 403, 200, 200] },
  { method: "GET", path: "/v1/admin/flags", expected: [401, 403, 403, 403, 200, 200] },
  { method: "GET", path: "/v1/admin/leaks", expected: [401, 403, 403, 403, 200, 200] },
  { method: "GET", path: "/v1/admin/apps", expected: [401, 403, 403, 403, 200, 200] },
  { method: "GET", path: "/v1/admin/apps/{app}", expected: [401, 403, 403, 403, 200, 200] },
  { method: "GET", path: "/v1/admin/apps/{app}/decisions", expected: [401, 403, 403, 403, 200, 200] },
  {
    method: "POST",
    path: "/v1/admin/purposes/{purpose}/decision",
    body: { decision: "approve" },
    expected: [401, 403, 403, 403, 200, 200]
  },
  {
    method: "POST",
    path: "/v1/admin/apps/{app}/decision",
    body: { decision: "reject", note: "Say what it is for." },
    expected: [401, 403, 403, 403, 200, 200]
  },
  {
    method: "PATCH",
    path: "/v1/admin/apps/{app}",
    body: { allowed_scopes: [] },
    expected: [401, 403, 403, 403, 403, 200]
  },
  {
    method: "POST",
    path: "/v1/admin/apps/{app}/revoke",
    body: { reason: "It sold what it saw." },
    expected: [401, 403, 403, 403, 403, 200]
  }
]

/** New people for each case, and an app in review with a purpose in review. */
const situation = async () => {
  const owner = await world.person()
  const people: Record<Exclude<Who, "anonymous">, Person> = {
    user: await world.person(),
    developer: await world.person(),
    owner,
    reviewer: await world.person({ roles: ["reviewer"] }),
    admin: await world.person({ roles: ["admin"] })
  }
  await world.app(people.developer)
  const { app } = await world.app(owner)
  const made = await owner.send("POST", `/v1/developer/apps/${app.id}/purposes`, {
    key: "find_friends",
    description: "Shows your friends where you are",
    scopes: ["location.lookup"],
    expected_daily_volume: 24
  })
  const { id } = made.json as { readonly id: string }
  await owner.send("POST", `/v1/developer/apps/${app.id}/purposes/${id}/submit`)
  await owner.send("POST", `/v1/developer/apps/${app.id}/submit`)
  const state = async () => [
    (await owner.get(`/v1/developer/apps/${app.id}`)).json,
    (await owner.get(`/v1/developer/apps/${app.id}/purposes`)).json
  ]
  return { people, state, at: (path: string) => path.replace("{app}", app.id).replace("{purpose}", id) }
}

describe.each(routes)("$method $path", ({ body, expected, method, path }) => {
  it.each(WHO.map((who, index) => [who, expected[index] ?? 0] as const))("%s: %i", async (who, status) => {
    const { at, people, state } = await situation()
    const before = await state()
    const json = { "content-type": "application/json" }
    const init = body === undefined ? { method } : { method, headers: json, body: JSON.stringify(body) }
    const answer =
      who === "anonymous" ? await world.call(at(path), init) : await people[who].send(method, at(path), body)
    expect(answer.status).toBe(status)
    const codes: Readonly<Record<number, string>> = {
      401: "not_signed_in",
      403: "forbidden",
      404: "not_found",
      409: "conflict"
    }
    expect((answer.json as { readonly error?: string } | undefined)?.error).toBe(codes[status])
    // A refused call must change nothing. A permitted call must change something, unless it is a GET.
    const moved = JSON.stringify(await state()) !== JSON.stringify(before)
    expect(moved).toBe(method !== "GET" && status < 300)
  })
})

const decisive = routes.filter(({ method, path }) => path.startsWith("/v1/admin/") && method !== "GET")

it.each(decisive)(
  "$method $path: whether one may is asked before what one sent is read",
  async ({ expected, method, path }) => {
    const { at, people } = await situation()
    const garbage = { headers: { "content-type": "application/json" }, body: "{" }
    for (const [index, who] of WHO.entries()) {
      if (who === "anonymous") continue
      const answer = await people[who].send(method, at(path), undefined, garbage)
      expect([who, answer.status]).toEqual([who, expected[index] === 403 ? 403 : 400])
    }
  }
)
